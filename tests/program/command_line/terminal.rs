//! A pseudo-terminal of a given width, and the screen that its output draws.

use std::fs::File;
use std::io::Read;
use std::os::fd::{FromRawFd, OwnedFd};
use std::process::Command;
use std::ptr;

/// Streams that are connected to the terminal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Streams {
    Err,
    OutAndErr,
}

/// Runs a command in a terminal of this width. Returns its exit code and its output to
/// the terminal. Standard output is dropped if it is not connected.
pub(crate) fn run(columns: u16, command: &mut Command, streams: Streams) -> (i32, Vec<u8>) {
    let (master, slave) = open(columns);
    command.env("TERM", "xterm").env_remove("NO_COLOR");
    command.stderr(slave.try_clone().unwrap());
    match streams {
        Streams::Err => command.stdout(std::process::Stdio::null()),
        Streams::OutAndErr => command.stdout(slave.try_clone().unwrap()),
    };
    let mut child = command.spawn().unwrap();
    // The file descriptors of the command would keep the terminal open.
    command.stdout(std::process::Stdio::null());
    command.stderr(std::process::Stdio::null());
    drop(slave);
    let mut bytes = Vec::new();
    // On Linux, reading fails after the last writer has closed the terminal.
    let _ = File::from(master).read_to_end(&mut bytes);
    (child.wait().unwrap().code().unwrap(), bytes)
}

/// Opens a terminal of this width. Returns its two sides.
#[expect(
    unsafe_code,
    reason = "crates with this call build half of the program again, with other features"
)]
fn open(columns: u16) -> (OwnedFd, OwnedFd) {
    let (mut master, mut slave) = (-1, -1);
    let mut size = libc::winsize {
        ws_row: 24,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    // SAFETY: the name and the settings may be null; the descriptors are new, and nothing else owns them.
    unsafe {
        let (name, settings) = (ptr::null_mut(), ptr::null_mut());
        assert_eq!(
            libc::openpty(
                &raw mut master,
                &raw mut slave,
                name,
                settings,
                &raw mut size
            ),
            0
        );
        // Else the command would inherit the other side, and the terminal would stay open.
        assert_eq!(libc::fcntl(master, libc::F_SETFD, libc::FD_CLOEXEC), 0);
        assert_eq!(libc::fcntl(slave, libc::F_SETFD, libc::FD_CLOEXEC), 0);
        (OwnedFd::from_raw_fd(master), OwnedFd::from_raw_fd(slave))
    }
}

/// A screen of unlimited height.
#[derive(Debug, Default)]
pub(crate) struct Screen {
    columns: usize,
    rows: Vec<Row>,
    row: usize,
    column: usize,
    /// The number of characters that were written beyond the last column.
    pub(crate) wraps: usize,
}

#[derive(Clone, Debug, Default)]
struct Row {
    text: Vec<char>,
    /// True if the line continues in the next row.
    goes_on: bool,
}

impl Screen {
    /// Draws the output to a terminal of this width.
    pub(crate) fn draw(columns: u16, bytes: &[u8]) -> Self {
        let mut screen = Self {
            columns: usize::from(columns),
            ..Self::default()
        };
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let mut chars = text.chars();
        while let Some(char) = chars.next() {
            match char {
                '\r' => screen.column = 0,
                '\n' => screen.row += 1,
                '\x1b' => screen.control(&mut chars),
                _ => screen.put(char),
            }
        }
        screen
    }

    fn row(&mut self) -> &mut Row {
        let needed = self.rows.len().max(self.row + 1);
        self.rows.resize(needed, Row::default());
        &mut self.rows[self.row]
    }

    fn put(&mut self, char: char) {
        assert!(!char.is_control(), "{char:?} reached the terminal");
        if self.column == self.columns {
            self.row().goes_on = true;
            (self.row, self.column) = (self.row + 1, 0);
            self.wraps += 1;
        }
        let column = self.column;
        let text = &mut self.row().text;
        text.resize(text.len().max(column + 1), ' ');
        text[column] = char;
        self.column += 1;
    }

    /// Executes a control sequence, such as `ESC [ 2 K`.
    fn control(&mut self, chars: &mut impl Iterator<Item = char>) {
        assert_eq!(chars.next(), Some('['), "no other sequences are written");
        let mut number = String::new();
        let last = loop {
            match chars.next().unwrap() {
                char @ ('0'..='9' | ';' | '?') => number.push(char),
                char => break char,
            }
        };
        let count = number.parse().unwrap_or(1);
        match last {
            'A' => self.row = self.row.saturating_sub(count),
            'B' => self.row += count,
            'C' => self.column += count,
            'D' => self.column = self.column.saturating_sub(count),
            'K' => *self.row() = Row::default(),
            'J' => {
                let row = self.row;
                self.row();
                self.rows.truncate(row);
            }
            // Colors and the visibility of the cursor have no effect on the text.
            'm' | 'h' | 'l' => {}
            other => panic!("the sequence {number}{other} is not known"),
        }
    }

    /// Returns the lines on the screen. The rows of a wrapped line are joined.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines = vec![String::new()];
        for row in &self.rows {
            let text: String = row.text.iter().collect();
            lines.last_mut().unwrap().push_str(&text);
            if !row.goes_on {
                lines.push(String::new());
            }
        }
        let mut lines: Vec<String> = lines
            .iter()
            .map(|line| line.trim_end().to_owned())
            .collect();
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        lines
    }
}

#[test]
fn a_screen_shows_the_text_that_was_not_overwritten() {
    let screen = Screen::draw(5, b"abc\r\x1b[2Kd\n\rabcdefg\r\nx\x1b[1A\r\x1b[2Ky");
    assert_eq!(screen.lines(), ["d", "abcdey", "x"]);
    assert_eq!(screen.wraps, 1);
}
