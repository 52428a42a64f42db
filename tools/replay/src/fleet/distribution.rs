//! A figure over many recordings.

/// The spread of a figure over recordings: the middle, the quartiles, and where it is least and
/// greatest.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    /// How many recordings have the figure.
    pub count: usize,
    /// The figure that a quarter of them are below, interpolated between neighbours.
    pub first_quartile: f64,
    /// The middle one.
    pub median: f64,
    /// The figure that a quarter of them are above.
    pub third_quartile: f64,
    /// The least, and the recording that has it.
    pub least: (f64, String),
    /// The greatest, and the recording that has it.
    pub greatest: (f64, String),
}

impl Distribution {
    /// Returns the distribution of figures by recording, or `None` if there are none.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_replay::fleet::Distribution;
    ///
    /// let figures = [(4.0, "d"), (1.0, "a"), (2.0, "b"), (3.0, "c"), (9.0, "e")];
    /// let figures = figures.map(|(figure, name)| (figure, name.to_owned()));
    /// let spread = Distribution::of(&figures).expect("there are figures");
    /// assert_eq!([spread.first_quartile, spread.median, spread.third_quartile], [2.0, 3.0, 4.0]);
    /// assert_eq!(spread.greatest, (9.0, "e".to_owned()));
    /// ```
    #[must_use]
    pub fn of(figures: &[(f64, String)]) -> Option<Self> {
        let mut sorted = figures.to_vec();
        sorted.sort_by(|one, other| one.0.total_cmp(&other.0));
        let quantile = |quarters: usize| {
            // Place `quarters / 4` of the way from the first to the last.
            let place = quarters * (sorted.len() - 1);
            let (index, part) = (place / 4, (place % 4) as f64 / 4.0);
            let below = sorted[index].0;
            let above = sorted.get(index + 1).map_or(below, |figure| figure.0);
            below + (above - below) * part
        };
        let (least, greatest) = (sorted.first()?.clone(), sorted.last()?.clone());
        Some(Self {
            count: sorted.len(),
            first_quartile: quantile(1),
            median: quantile(2),
            third_quartile: quantile(3),
            least,
            greatest,
        })
    }
}
