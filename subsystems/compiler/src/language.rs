//! Languages: which properties are one.

/// The two letters of ISO 639-1, one after the other in order; `jp`, which people write for `ja`,
/// among them.
const CODES: &str = "aaabaeafakamanarasavayazbabebgbhbibmbnbobrbscacechcocrcscucvcydadedvdzeeeleneoeseteu\
    fafffifjfofrfygagdglgngugvhahehihohrhthuhyhziaidieigiiikioisitiujajpjvkakgkikjkkklkmknkokrkskukvkwky\
    lalblglilnloltlulvmgmhmimkmlmnmrmsmtmynanbndnengnlnnnonrnvnyocojomorospapiplpsptqurmrnrorurwscsdsesg\
    siskslsmsnsosqsrssstsusvswtatetgthtitktltntotrtstttwtyugukuruzvevivowawoxhyiyozazhzu";

/// Returns `true` if a property names a language: two letters of ISO 639-1, or these and a country
/// as in `pt-br`.
///
/// # Examples
///
/// ```
/// use loligo_compiler::is_language;
///
/// assert!(is_language("fr") && is_language("pt-br"));
/// assert!(!is_language("hd") && !is_language("withkittens"));
/// ```
#[must_use]
pub fn is_language(property: &str) -> bool {
    let code = property.split('-').next().unwrap_or_default().as_bytes();
    code.len() == 2 && CODES.as_bytes().as_chunks::<2>().0.iter().any(|known| known == code)
}
