//! Which form of a text goes with a number, by language.
//!
//! After the plural rules of Unicode's CLDR (UTS 35, part 3), for cardinal numbers. Changes: the
//! rules are code, a function for each family of languages with the same rules, and there is no
//! exponent of compact numbers (`1c6`), since numbers are not written so here.

use core::fmt;

mod operands;
mod rules;

pub use operands::Operands;

/// A form of a text. Which numbers have it is different in each language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u32)]
pub enum PluralCategory {
    /// 0 in Arabic, Latvian and Welsh.
    Zero = 0,
    /// 1 in most languages; 21 as well in Russian, 0 as well in French.
    One = 1,
    /// 2 in Arabic, Hebrew, Slovenian and Welsh, among others.
    Two = 2,
    /// 2 to 4 in Slavic languages, 3 to 10 in Arabic.
    Few = 3,
    /// 5 and more in Polish and Russian, fractions in Czech, millions in French.
    Many = 4,
    /// All other numbers. Every language has it.
    Other = 5,
}

impl PluralCategory {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 6] =
        [Self::Zero, Self::One, Self::Two, Self::Few, Self::Many, Self::Other];

    /// Returns the name that CLDR and sources have for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Zero => "zero",
            Self::One => "one",
            Self::Two => "two",
            Self::Few => "few",
            Self::Many => "many",
            Self::Other => "other",
        }
    }
}

impl fmt::Display for PluralCategory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Defines the rules with the languages that have each.
macro_rules! rules {
    ($($name:ident = $number:literal, $languages:literal;)*) => {
        /// The rule by which a language chooses the form of a text, named after the language that is
        /// best known for it. Its number is in compiled texts and stays.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u32)]
        #[expect(missing_docs, reason = "the names are those of languages")]
        pub enum PluralRule {
            $($name = $number,)*
        }

        impl PluralRule {
            /// All rules, each with its languages as codes of ISO 639-1.
            const LANGUAGES: &'static [(Self, &'static str)] = &[$((Self::$name, $languages),)*];
        }
    };
}

rules! {
    Japanese = 0, "bm bo dz id ig ii ja jp jv ko lo ms my sg su th to wo yo zh";
    English = 1, "de en et fi fy ia io nl sc sv sw ur yi";
    Greek = 2, "af an az bg ce dv ee el eo eu fo ha hu ka kk kl ks ku ky lb lg ml mn mr nb nd ne nn no \
                nr ny om or os ps rm sd sn so sq ss st ta te tk tn tr ts ug uz ve vo xh";
    Hindi = 3, "am as bn fa gu hi kn vi zu";
    Punjabi = 4, "ak ln mg pa ti wa";
    Armenian = 5, "ff hy";
    French = 6, "fr pt";
    Spanish = 7, "es";
    Italian = 8, "ca gl it pt-pt";
    Danish = 9, "da";
    Icelandic = 10, "is";
    Macedonian = 11, "mk";
    Tagalog = 12, "tl";
    Latvian = 13, "lv";
    Hebrew = 14, "he";
    Sami = 15, "iu se";
    Romanian = 16, "ro";
    Serbian = 17, "bs hr sr";
    Gaelic = 18, "gd";
    Slovenian = 19, "sl";
    Czech = 20, "cs sk";
    Polish = 21, "pl";
    Russian = 22, "ru uk";
    Belarusian = 23, "be";
    Lithuanian = 24, "lt";
    Maltese = 25, "mt";
    Irish = 26, "ga";
    Arabic = 27, "ar";
    Welsh = 28, "cy";
    Breton = 29, "br";
    Sinhala = 30, "si";
}

/// Up to which number a text is looked at for forms that it must have.
const SMALL: u64 = 200;

impl PluralRule {
    /// Returns the rule of a language: a code of ISO 639-1, or one with a country as in `pt-br`. `None` if
    /// it is not known here.
    ///
    /// # Complexity
    ///
    /// O(languages).
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_text::{Operands, PluralCategory, PluralRule};
    ///
    /// let polish = PluralRule::of_language("pl").expect("it is known");
    /// let form = |number| polish.category(&Operands::of_number(number));
    /// assert_eq!(form(1.0), PluralCategory::One);
    /// assert_eq!(form(22.0), PluralCategory::Few);
    /// assert_eq!(form(12.0), PluralCategory::Many);
    /// assert_eq!(form(1.5), PluralCategory::Other);
    /// ```
    #[must_use]
    pub fn of_language(language: &str) -> Option<Self> {
        let of = |wanted: &str| {
            let mut all = Self::LANGUAGES.iter();
            all.find(|(_, codes)| codes.split(' ').any(|code| code == wanted))
                .map(|(rule, _)| *rule)
        };
        of(language).or_else(|| of(language.split('-').next().unwrap_or_default()))
    }

    /// Returns the codes of all languages that are known, in no order.
    pub fn languages() -> impl Iterator<Item = &'static str> {
        Self::LANGUAGES.iter().flat_map(|(_, codes)| codes.split(' '))
    }

    /// Returns the rule of a number that a compiled text has.
    #[must_use]
    pub fn of_number(number: u32) -> Option<Self> {
        Self::LANGUAGES.iter().map(|(rule, _)| *rule).find(|rule| *rule as u32 == number)
    }

    /// Returns the form that goes with a number.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[must_use]
    pub fn category(self, operands: &Operands) -> PluralCategory {
        rules::category(self, operands)
    }

    /// Returns `true` if whole numbers up to 200 have that form: a text that is for a number must have it,
    /// while rarer forms, such as that of millions in French, are [`PluralCategory::Other`] where they
    /// are missing.
    ///
    /// # Complexity
    ///
    /// O(1), some hundred times as much as [`category`](Self::category): it is for compilers.
    #[must_use]
    pub fn needs(self, category: PluralCategory) -> bool {
        let mut small = 0..=SMALL;
        category == PluralCategory::Other
            || small.any(|number| self.category(&Operands::of_whole(number)) == category)
    }

    /// Returns `true` if any number has that form: whole ones to a thousand and a million, and fractions
    /// with up to two digits.
    ///
    /// # Complexity
    ///
    /// As [`needs`](Self::needs).
    #[must_use]
    pub fn has(self, category: PluralCategory) -> bool {
        let fractions = (0..=999).map(|number| f64::from(number) / 100.0);
        self.needs(category)
            || self.category(&Operands::of_whole(1_000_000)) == category
            || fractions.map(Operands::of_number).any(|of| self.category(&of) == category)
    }
}
