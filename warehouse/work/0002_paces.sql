-- The pace of requests to each origin, which all processes that send requests there share (src/extract/budget/sharedStarts.ts).
create table paces (
    origin text primary key,
    version bigint not null,
    state text not null
);
