"""Compares the answers of the package with those of Google's parser on real archives, which pyarrow reads."""

from __future__ import annotations

import unittest
from typing import NamedTuple

import corpus
import pyarrow
import pyarrow.parquet

import robots_scan

# Functions for columns parse with the default limit, and Google's parser without one.
BODY_LIMIT_BYTES = 512_000


class Question(NamedTuple):
    """A question to Google's parser, with its answer."""

    archive: str
    warc_record_offset: int
    agent: str
    url: str
    allowed: bool
    line_no: int


def is_no_name(agent: str) -> bool:
    return "*" in agent and agent != "*"


class Google(unittest.TestCase):
    questions: list[Question]
    bodies: dict[tuple[str, int], bytes]

    @classmethod
    def setUpClass(cls) -> None:
        corpus.require_real_data("answers of Google's parser")
        table = pyarrow.parquet.read_table(corpus.SHARED / "oracle" / "access.parquet")
        cls.questions = sorted(Question(**row) for row in table.to_pylist())
        cls.bodies = {}
        for archive in corpus.real_archives():
            data = archive.read_bytes()
            offsets = {question.warc_record_offset for question in cls.questions if question.archive == archive.name}
            for offset in offsets:
                cls.bodies[archive.name, offset] = corpus.capture_at(archive.name, data, offset).body

    def body(self, question: Question) -> bytes:
        return self.bodies[question.archive, question.warc_record_offset]

    def test_access_has_the_answers_of_googles_parser(self) -> None:
        wrong, robots, parsed, refused = [], None, None, set()
        for question in self.questions:
            body = self.body(question)
            if robots is None or parsed is not body:
                robots, parsed = robots_scan.parse(body, body_limit=None), body
            try:
                access = robots.access(question.agent, question.url, dialect="google")
            except robots_scan.UsageError:
                refused.add(question.agent)
                continue
            if (access.allowed, access.line_no or 0) != (question.allowed, question.line_no):
                wrong.append((question, access))
        self.assertEqual(wrong, [])
        self.assertEqual(len(self.questions), 124_002)
        # Of the 72 questions about what is no name, such as `*Slurp*`, some are answered: the file itself has it.
        self.assertTrue(all(is_no_name(agent) for agent in refused), refused)

    def test_columns_have_the_answers_of_googles_parser(self) -> None:
        asked = [question for question in self.questions if len(self.body(question)) <= BODY_LIMIT_BYTES and not is_no_name(question.agent)]
        self.assertGreater(len(asked), 120_000)
        bodies = pyarrow.array((self.body(question) for question in asked), pyarrow.large_binary())
        agents = pyarrow.array([question.agent for question in asked]).dictionary_encode()
        urls = pyarrow.chunked_array([[question.url for question in asked[:1000]], [question.url for question in asked[1000:]]])
        allowed = pyarrow.array(robots_scan.robots_allowed(bodies, agents, urls, dialect="google"))
        wrong = [question for question, answer in zip(asked, allowed.to_pylist()) if answer != question.allowed]
        self.assertEqual(wrong, [])
        self.assertEqual(len(allowed), len(asked))


if __name__ == "__main__":
    unittest.main()
