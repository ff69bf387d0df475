//! HTML pages of redirects and errors, and words.

use super::choice::pick;
use inputs::Random;
use std::fmt::Write;
use std::sync::LazyLock;

static WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    "able account acid add admin air ajax album alpha amber annual api apple archive area arrow art \
     assets atlas auto award back badge bag bank base basket beach bell best bike bird block blog blue \
     board boat body book border box brand bread bridge bright build bulk button cabin cable cache \
     calendar camera camp card care cart cart catalog category center chair change chart check city class \
     clean client clock cloud club coach coast code coffee color common compare config contact content \
     cook copy corner cotton count course cover craft cream credit crew custom daily dance data date \
     deal demo design detail digital dinner direct docs door draft dream drive east editor energy error \
     event export fabric factory family farm feed field file filter finance fire fish fit flag floor \
     flower food forest form forum frame free fresh friend front fruit game garden gift glass global gold \
     grand green group guest guide hand happy harbor health help hill history home horse host hotel house \
     image import inbox include index island item job journal jump kitchen label lake land language \
     lemon letter level library light line link list local login long lunch machine mail main manual map \
     market media member menu message metal mile mobile model module money motor mountain music network \
     news night north note ocean offer office online open orange order outdoor page paint panel paper \
     park part party path people phone photo pilot place plan plant plugin point pool post power press \
     price print private profile project public quick radio rain rate reader recipe record region register \
     remote report result review ring river road rock room root route sale salt sample school science \
     score search season secure server service session shadow share shop signal silver simple single site \
     sky small smart snow social soft song sound south space sport spring staff stage star start station \
     stone store story stream street studio style summer sun supply support system table tag target task \
     team tech test text theme ticket timber time tool top total tour town track trade trail train travel \
     tree trend trust union update upload user value vendor video view village vision visit voice wagon \
     walk wall watch water wave weather web week west white wild wind window wine winter wood word work \
     world yard year yellow young zone"
        .split_whitespace()
        .collect()
});

/// Chooses a word.
pub(super) fn word(random: &mut Random) -> &'static str {
    pick(random, &WORDS)
}

/// Chooses a word, some much more often than others.
pub(super) fn common_word(random: &mut Random) -> &'static str {
    let mut below = WORDS.len() as u64;
    for _ in 0..2 {
        below = 1 + random.below(below);
    }
    // The frequent words are not those at the start of the alphabet.
    WORDS[(below as usize * 37) % WORDS.len()]
}

/// Returns a page of a web server, such as that of nginx, with nothing but a heading.
pub(super) fn small(heading: &str) -> Vec<u8> {
    format!(
        "<html>\r\n<head><title>{heading}</title></head>\r\n<body>\r\n<center><h1>{heading}</h1></center>\r\n\
         <hr><center>server</center>\r\n</body>\r\n</html>\r\n"
    )
    .into_bytes()
}

/// Returns the body of a redirect: a third is empty, a third names the new address.
pub(super) fn redirect(random: &mut Random, reason: &str, location: &str) -> Vec<u8> {
    match random.below(3) {
        0 => Vec::new(),
        1 => small(&format!("301 {reason}")),
        _ => format!(
            "<!DOCTYPE HTML>\n<html><head>\n<title>{reason}</title>\n</head><body>\n<h1>{reason}</h1>\n\
             <p>This page is now at <a href=\"{location}\">another address</a>, where you will be taken.</p>\n\
             </body></html>\n"
        )
        .into_bytes(),
    }
}

/// Returns a page of a content management system, of about 23 KB, with a menu and a style sheet.
pub(super) fn large(random: &mut Random, title: &str, host: &str) -> Vec<u8> {
    let target = 23_000 + random.below(1_600) as usize;
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\" class=\"no-js\">\n<head>\n    <meta charset=\"UTF-8\">\n    \
         <title>{title} - {host}</title>\n    <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    );
    for _ in 0..8 {
        let (name, version) = (word(random), random.next_u64() >> 40);
        let _ = writeln!(
            page,
            "    <link rel=\"stylesheet\" href=\"/assets/css/{name}-{version:06x}.css\">"
        );
    }
    page.push_str("    <style>\n");
    for _ in 0..20 {
        let (class, property) = (
            word(random),
            pick(random, &["color", "margin", "padding", "width"]),
        );
        let size = random.below(64);
        let _ = writeln!(
            page,
            "        .{class} {{\n            {property}: {size}px;\n            display: block;\n        }}"
        );
    }
    page.push_str("    </style>\n</head>\n<body>\n    <nav id=\"menu\">\n        <ol>\n");
    while page.len() < target / 2 {
        let (a, b) = (common_word(random), common_word(random));
        let _ = writeln!(
            page,
            "            <li class=\"menu-item\"><a href=\"/{a}/{b}.html\">{a} {b}</a></li>"
        );
    }
    page.push_str("        </ol>\n    </nav>\n    <main>\n");
    while page.len() < target {
        page.push_str("        <p>");
        for _ in 0..10 + random.below(50) {
            // Half of a text is words that occur everywhere.
            let next = if random.one_in(2) {
                pick(
                    random,
                    &["the", "of", "and", "to", "in", "is", "a", "for", "this"],
                )
            } else {
                common_word(random)
            };
            page.push_str(next);
            page.push(' ');
        }
        page.push_str("</p>\n");
    }
    page.push_str("    </main>\n</body>\n</html>\n");
    page.into_bytes()
}
