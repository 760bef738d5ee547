"""The rules of the date grammar: which tags in which order, what they resolve to, and whether they count from now. Data.

What it is for: `kg.dates` takes the longest rule that fits. A tag's words are in `kg.date_words`; "?" marks one that may
be absent.
"""

from bellek.kg import date_months as months
from bellek.kg import date_sense as sense
from bellek.kg.date_sense import Rule


def _rules(rule: Rule, *forms: str, narrows: bool = False) -> tuple[tuple[tuple[str, ...], Rule, bool], ...]:
    return tuple((tuple(form.split()), rule, narrows) for form in forms)


RULES = (
    *_rules(sense.ago, "exact? num unit ago", "half num? unit ago", "num unit back", "exact? sayi bucuk? birim kadar? once", "half birim once", narrows=True),
    *_rules(sense.few_ago, "num? few of? unit ago", "few birim once", narrows=True),
    *_rules(sense.weekend_named, "rel weekend", "rel birim sonu", "rel hsonu", narrows=True),
    *_rules(sense.weekend_named, "on? the weekend", "birim sonu", "hsonu"),
    *_rules(sense.past, "in? the? past num? few? of? unit", "past sayi birim", "past few birim", narrows=True),
    *_rules(months.in_year, "rel unit in? month", "in? month of? rel unit", "rel birim month ayi?", "in? the? season of? rel unit", "rel birim season", narrows=True),
    *_rules(sense.of_now, "in? the? rel unit", "rel birim", narrows=True),
    *_rules(sense.weekday_in_week, "rel unit on? weekday", "weekday of? rel unit", "rel birim weekday gunu?", narrows=True),
    *_rules(sense.day_in_month, "on? the nth of the? rel? unit", "on the? nth", "rel birim inde", "rel birim dom", "birim inde", narrows=True),
    *_rules(sense.bare_day, "inde", narrows=True),
    *_rules(sense.part_of, "in? at? the? part of the? rel? unit", "in? part rel unit", "rel? birim part", narrows=True),
    *_rules(sense.before_yesterday, "the? unit before day", "day birim", "onceki birim", "bir onceki birim", "day onceki birim", narrows=True),
    *_rules(sense.named_day, "day daypart?", narrows=True),
    *_rules(sense.part_of_day, "rel daypart", "tonight", narrows=True),
    *_rules(sense.a_while, "the other unit", "gecenlerde", narrows=True),
    *_rules(sense.weekday_named, "on? rel weekday daypart?", "rel weekday gunu? daypart?", "weekday gunu daypart?", "on weekday daypart?", narrows=True),
    *_rules(sense.bare_weekday, "weekday daypart?"),
    *_rules(months.month_named, "in? rel month", "rel month ayi?", narrows=True),
    *_rules(months.month_named, "month ayi", "in month y?", "month of? y", "y yili? month"),
    *_rules(months.part_of_month, "in? at? the? part in? of? month y?", "y? month ayi? part", "month y part"),
    *_rules(months.bare_month, "month"),
    *_rules(months.day_month, "on? the? nth of? month y?", "on? the? ord of month y?", "on? dom of? month y?", "on? month dom y?", "on? month nth y?", "month inde", "y month inde",
            "on? dom short y?", "on? short dom y?", "on? short nth y?", "on? nth short y?"),
    *_rules(months.days_of_month, "doms month y?", "month doms y?"),
    *_rules(months.season_named, "in? rel season", narrows=True),
    *_rules(months.season_named, "in? the? season of? y", "y yili? season", "in the season"),
    *_rules(months.bare_season, "season"),
    *_rules(months.year_named, "in? y yili?"),
    *_rules(months.iso, "iso"),
    *_rules(months.dmy, "dmy"),
)  # fmt: skip
# Names that are a date only where something beside them says so (since, between, a filter's own value).
LOOSE = (*_rules(sense.weekday_named, "weekday"), *_rules(months.loose_month, "month", "month ayi"),
         *_rules(months.season_named, "season"), *_rules(months.loose_year, "y"))  # fmt: skip
