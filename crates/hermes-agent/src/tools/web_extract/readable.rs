//! The part of a page that people read.

use dom_smoothie::{Config, Readability, TextMode};

/// A page as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Page {
    /// Where it was in the end.
    pub(super) url: String,
    pub(super) title: String,
    pub(super) content: String,
}

/// Elements after which a page counts as too large to be understood.
const MOST_ELEMENTS: usize = 100_000;

/// The article of a page as markdown; where there is none, all of its text.
pub(super) fn html(text: &str, url: String) -> Page {
    let config = Config { max_elements_to_parse: MOST_ELEMENTS, text_mode: TextMode::Markdown, ..Config::default() };
    let Ok(mut page) = Readability::new(text, Some(&url), Some(config)) else {
        return Page { url, title: String::new(), content: String::new() };
    };
    let title = page.get_article_title().to_string();
    match page.parse() {
        Ok(article) => Page { url, title: article.title, content: article.text_content.to_string() },
        Err(_) => Page {
            url,
            title,
            content: page.doc.select("body").text().split_whitespace().collect::<Vec<_>>().join(" "),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::html;

    #[test]
    fn an_article_comes_without_what_surrounds_it() {
        let paragraph =
            "This sentence is long enough, with commas, clauses, and words, to count as a part of an article. "
                .repeat(4);
        let text = format!(
            "<html><head><title>Title</title><script>steal()</script></head><body><nav><a href=/>Home</a></nav>\
             <article><h1>Heading</h1><p>{paragraph}</p><p>See <a href=\"/more\">more</a>. {paragraph}</p></article>\
             <footer>imprint</footer></body></html>"
        );
        let page = html(&text, "https://example.com/a".to_owned());
        assert_eq!(page.title, "Title");
        assert!(page.content.contains("[more](https://example.com/more)"), "{}", page.content);
        assert!(!page.content.contains("steal") && !page.content.contains("imprint"), "{}", page.content);
    }

    #[test]
    fn a_page_without_an_article_still_has_its_words() {
        let page = html("<title>T</title><body><p>one</p> <p>two</p></body>", "https://example.com/".to_owned());
        assert!(page.content.contains("one") && page.content.contains("two"), "{page:?}");
        assert_eq!(html("", "https://example.com/".to_owned()).content, "");
    }
}
