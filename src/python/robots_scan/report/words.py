"""Words for the codes of the tables, as labels of charts and rows have them."""

import re

# Parts of codes that are not words as they are.
PARTS = {"500kib": "500 KiB", "ai": "AI", "ascii": "ASCII", "aws": "AWS", "bom": "BOM", "cr": "CR", "ddos": "DDoS", "f5": "F5", "google": "Google", "html": "HTML", "nul": "NUL",
         "seo": "SEO", "url": "URL", "utf16": "UTF-16", "utf8": "UTF-8", "waf": "WAF"}
# Mechanisms as files write them.
MECHANISMS = {"allow-ai-training": "AllowAITraining", "content-signal": "Content-Signal", "content-usage": "Content-Usage", "disallow-ai-training": "DisallowAITraining",
              "llm-policy": "LLM-Policy", "rsl-license": "RSL licence", "tdmrep": "TDMRep"}
# Names of software and of services that write robots.txt files.
TEMPLATES = {"bigcommerce": "BigCommerce", "bitly": "Bitly", "blogger": "Blogger", "civicplus": "CivicPlus", "cloudflare_managed": "Cloudflare (managed)", "contao": "Contao", "dedecms": "DedeCMS", "discourse": "Discourse",
             "dotnetnuke": "DotNetNuke", "drupal": "Drupal", "dspace": "DSpace", "flywheel": "Flywheel", "freshdesk": "Freshdesk", "ghost": "Ghost", "gitbook": "GitBook",
             "gitlab": "GitLab", "govoffice": "GovOffice", "hestiacp": "HestiaCP", "hubspot": "HubSpot", "intercom": "Intercom", "invision_community": "Invision Community",
             "joomla": "Joomla", "libguides": "LibGuides", "magento": "Magento", "mastodon": "Mastodon", "medium": "Medium", "readme": "ReadMe", "salesforce": "Salesforce",
             "seomatic": "SEOmatic", "sharepoint": "SharePoint", "shopify": "Shopify", "squarespace": "Squarespace", "stackexchange": "Stack Exchange",
             "substack": "Substack", "successfactors": "SuccessFactors", "teamtailor": "Teamtailor", "tumblr": "Tumblr", "umbraco": "Umbraco", "unbounce": "Unbounce",
             "vestacp": "VestaCP", "weebly": "Weebly", "wikimedia": "Wikimedia", "wix": "Wix", "wordpress": "WordPress", "yoast": "Yoast", "yourmembership": "YourMembership",
             "zendesk": "Zendesk"}
USES = {"ai-train": "AI training", "train-ai": "AI training", "training": "AI training"}


def words(code):
    """Returns a code in words: `ai_training` is AI training."""
    return " ".join(PARTS.get(part, part) for part in re.split("[_-]", code))


def mechanism(code):
    return MECHANISMS.get(code, code)


def use(code):
    """Returns the use that a category of preferences is about."""
    return "" if code is None else USES.get(code) or words(code)


def template(code):
    """Returns the name of a template: `civicplus` is CivicPlus."""
    return TEMPLATES.get(code) or words(code)
