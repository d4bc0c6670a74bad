/// A day of the proleptic Gregorian calendar, with arithmetic on 64-bit integers.
///
/// The algorithms are `days_from_civil` and `civil_from_days` of Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms"
/// (howardhinnant.github.io/date_algorithms.html). Years begin in March, so that the leap day is the last day of its year. An era
/// is 400 years and always has 146,097 days.
struct CivilDate: Hashable, Sendable {
    /// The year, where 0 is 1 BC.
    var year: Int64
    /// The month, from 1 to 12.
    var month: Int64
    /// The day of the month, from 1 to 31.
    var day: Int64

    private static let daysOfEra: Int64 = 146_097
    /// The number of days from 0000-03-01, where eras begin, to 2001-01-01, the day of Foundation's reference date.
    private static let referenceDay: Int64 = 730_791

    /// Creates the day that is `days` after 2001-01-01.
    init(daysSinceReferenceDate days: Int64) {
        let shifted = days + Self.referenceDay
        let era = floorDivide(shifted, Self.daysOfEra)
        let dayOfEra = shifted - era * Self.daysOfEra
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Creates a day; nil if the calendar has no such day.
    init?(year: Int64, month: Int64, day: Int64) {
        self.year = year
        self.month = month
        self.day = day
        guard (1...12).contains(month), day >= 1, day <= daysOfMonth else { return nil }
    }

    /// The number of days from 2001-01-01 to this day.
    var daysSinceReferenceDate: Int64 {
        let yearFromMarch = month <= 2 ? year - 1 : year
        let era = floorDivide(yearFromMarch, 400)
        let yearOfEra = yearFromMarch - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * Self.daysOfEra + dayOfEra - Self.referenceDay
    }

    private var daysOfMonth: Int64 {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: isLeapYear ? 29 : 28
        default: 31
        }
    }

    private var isLeapYear: Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
}

/// Returns the quotient rounded towards minus infinity. `divisor` must be positive.
func floorDivide(_ dividend: Int64, _ divisor: Int64) -> Int64 {
    let (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
}
