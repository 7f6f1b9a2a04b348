// The style sheets of every page and of the report, in the order in which they override each other.
export const styleSheets = ["base.css", "tables.css", "charts.css", "forms.css", "media.css"]
