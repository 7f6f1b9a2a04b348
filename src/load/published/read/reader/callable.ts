// What a reader's SQL may call, and what it may not, by name. Anything that is in neither list is refused as well; a test
// goes through every function and system view of the installed DuckDB and fails if one is in neither.
const names = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Functions by what they can be called as, macros included, and DuckDB's own views. */
export const allowed = {
  scalar: names(String.raw`
    unnest
    !__postfix !~~ !~~* % & && * ** + - ->> / // <-> << <=> <@ >> @ @> ^ ^@ abs acos acosh add age aggregate ago
    alias apply array_aggr array_aggregate array_append array_apply array_cat array_concat array_contains
    array_cosine_distance array_cosine_similarity array_cross_product array_distance array_distinct
    array_dot_product array_extract array_filter array_grade_up array_has array_has_all array_has_any array_indexof
    array_inner_product array_intersect array_length array_negative_dot_product array_negative_inner_product
    array_pop_back array_pop_front array_position array_prepend array_push_back array_push_front array_reduce
    array_resize array_reverse array_reverse_sort array_select array_slice array_sort array_to_json array_to_string
    array_to_string_comma_default array_transform array_unique array_value array_where array_zip ascii asin asinh
    atan atan2 atanh bar base64 bin bit_count bit_length bit_position bitstring can_cast_implicitly cardinality cbrt
    ceil ceiling century char_length character_length chr col_description concat concat_ws contains cos cosh cot
    current_catalog current_connection_id current_database current_date current_localtime current_localtimestamp
    current_query_id current_role current_schema current_schemas current_transaction_id current_user
    damerau_levenshtein date_add date_diff date_part date_sub date_trunc datediff datepart datesub datetrunc day
    dayname dayofmonth dayofweek dayofyear days_in_month decade decode degrees divide editdist3 element_at encode
    ends_with enum_code enum_first enum_last enum_range enum_range_boundary epoch epoch_ms epoch_ns epoch_us
    equi_width_bins era error even exp factorial fdiv filter flatten floor fmod format format_bytes format_pg_type
    format_type formatreadabledecimalsize formatreadablesize from_base64 from_binary from_hex from_json
    from_json_strict gamma gcd gen_random_uuid generate_series generate_subscripts geomean geometric_mean get_bit
    get_current_time get_current_timestamp get_type getvariable grade_up greatest greatest_common_divisor hamming
    has_any_column_privilege has_column_privilege has_database_privilege has_foreign_data_wrapper_privilege
    has_function_privilege has_language_privilege has_schema_privilege has_sequence_privilege has_server_privilege
    has_table_privilege has_tablespace_privilege hash hex hour ilike_escape in_search_path inet_client_addr
    inet_client_port inet_server_addr inet_server_port instr isfinite isinf isnan isodow isoyear jaccard
    jaro_similarity jaro_winkler_similarity json json_array json_array_length json_contains json_exists json_extract
    json_extract_path json_extract_path_text json_extract_string json_group_array json_group_object
    json_group_structure json_keys json_merge_patch json_object json_pretty json_quote json_serialize_sql json_structure json_transform
    json_transform_strict json_type json_valid json_value julian last_day lcase lcm least least_common_multiple left
    left_grapheme len length length_grapheme levenshtein lgamma like_escape list_aggr list_aggregate list_any_value
    list_append list_apply list_approx_count_distinct list_avg list_bit_and list_bit_or list_bit_xor list_bool_and
    list_bool_or list_cat list_concat list_contains list_cosine_distance list_cosine_similarity list_count
    list_distance list_distinct list_dot_product list_element list_entropy list_extract list_filter list_first
    list_grade_up list_has list_has_all list_has_any list_histogram list_indexof list_inner_product list_intersect
    list_kurtosis list_kurtosis_pop list_last list_mad list_max list_median list_min list_mode
    list_negative_dot_product list_negative_inner_product list_pack list_position list_prepend list_product
    list_reduce list_resize list_reverse list_reverse_sort list_select list_sem list_skewness list_slice list_sort
    list_stddev_pop list_stddev_samp list_string_agg list_sum list_transform list_unique list_value list_var_pop
    list_var_samp list_where list_zip ln log log10 log2 lower lpad ltrim make_date make_time make_timestamp
    make_timestamp_ms make_timestamp_ns make_timestamptz map map_concat map_contains map_contains_entry
    map_contains_value map_entries map_extract map_extract_value map_from_entries map_keys map_to_pg_oid map_values
    md5 md5_number md5_number_lower md5_number_upper microsecond millennium millisecond minute mismatches mod month
    monthname multiply nanosecond nextafter nfc_normalize not_ilike_escape not_like_escape now nullif
    obj_description octet_length ord parse_dirname parse_dirpath parse_filename parse_formatted_bytes parse_path
    pg_collation_is_visible pg_conf_load_time pg_conversion_is_visible pg_function_is_visible pg_get_constraintdef
    pg_get_expr pg_get_viewdef pg_has_role pg_is_other_temp_schema pg_my_temp_schema pg_opclass_is_visible
    pg_operator_is_visible pg_opfamily_is_visible pg_postmaster_start_time pg_size_pretty pg_table_is_visible
    pg_ts_config_is_visible pg_ts_dict_is_visible pg_ts_parser_is_visible pg_ts_template_is_visible
    pg_type_is_visible pg_typeof pi position pow power prefix printf quarter radians random range reduce
    regexp_escape regexp_extract regexp_extract_all regexp_full_match regexp_matches regexp_replace
    regexp_split_to_array regexp_split_to_table repeat replace reverse right right_grapheme round round_even
    roundbankers row row_to_json rpad rtrim second session_user set_bit sha1 sha256 shobj_description sign signbit
    sin sinh split split_part sqrt st_asbinary st_astext st_aswkb st_aswkt st_crs st_geomfromwkb
    st_intersects_extent st_setcrs starts_with stats str_split str_split_regex strftime string_split
    string_split_regex string_to_array strip_accents strlen strpos strptime struct_concat struct_contains
    struct_extract struct_extract_at struct_has struct_indexof struct_insert struct_keys struct_pack struct_position
    struct_update struct_values substr substring substring_grapheme subtract suffix switch tan tanh time_bucket
    timezone timezone_hour timezone_minute to_base to_base64 to_binary to_centuries to_days to_decades to_hex
    to_hours to_json to_microseconds to_millennia to_milliseconds to_minutes to_months to_quarters to_seconds
    to_timestamp to_weeks to_years today transaction_timestamp translate trim trunc try_strptime txid_current typeof
    ucase unbin unhex unicode union_extract union_tag union_value unpivot_list upper url_decode url_encode user uuid
    uuid_extract_timestamp uuid_extract_version uuidv4 uuidv7 variant_extract variant_typeof version wavg week
    weekday weekofyear weighted_avg xor year yearweek | || ~ ~~ ~~* ~~~
  `),
  aggregate: names(String.raw`
    any_value approx_count_distinct approx_quantile approx_top_k arbitrary arg_max arg_max_null arg_max_nulls_last
    arg_min arg_min_null arg_min_nulls_last argmax argmin array_agg avg bit_and bit_or bit_xor bitstring_agg
    bool_and bool_or corr count count_if count_star countif covar_pop covar_samp cume_dist dense_rank entropy favg
    fill first first_value fsum group_concat histogram histogram_exact kahan_sum kurtosis kurtosis_pop lag last
    last_value lead list listagg mad max max_by mean median min min_by mode nth_value ntile percent_rank product
    quantile quantile_cont quantile_disc rank rank_dense regr_avgx regr_avgy regr_count regr_intercept regr_r2
    regr_slope regr_sxx regr_sxy regr_syy reservoir_quantile row_number sem skewness stddev stddev_pop stddev_samp
    string_agg sum sum_no_overflow sumkahan var_pop var_samp variance
  `),
  table: names(String.raw`
    duckdb_columns duckdb_constraints duckdb_dependencies duckdb_functions duckdb_indexes duckdb_keywords
    duckdb_schemas duckdb_sequences duckdb_tables duckdb_types duckdb_views generate_series icu_calendar_names json_each json_tree pg_timezone_names pragma_collations pragma_table_info
    pragma_version range repeat repeat_row summary unnest
  `),
  view: names(`
    character_sets check_constraints columns constraint_column_usage constraint_table_usage key_column_usage
    referential_constraints schemata table_constraints tables views duckdb_columns duckdb_constraints duckdb_indexes
    duckdb_schemas duckdb_tables duckdb_types duckdb_views sqlite_master sqlite_schema sqlite_temp_master
    sqlite_temp_schema pg_am pg_attrdef pg_attribute pg_class pg_collation pg_constraint pg_database pg_depend
    pg_description pg_enum pg_index pg_indexes pg_namespace pg_proc pg_sequence pg_sequences pg_tables pg_tablespace
    pg_type pg_views
  `),
} as const

/** A name that ends with `*` stands for all that begin so, one after `from:` for the table function alone. */
export const refused: ReadonlyArray<{ readonly why: string; readonly names: ReadonlySet<string> }> =
  [
    {
      why: "nothing outside the published copy is read, whether a file, a pointer or another database",
      names: names(`
      arrow_scan arrow_scan_dumb glob parquet_bloom_probe parquet_file_metadata parquet_full_metadata
      parquet_kv_metadata parquet_metadata parquet_scan parquet_schema read_blob read_csv read_csv_auto read_duckdb
      read_json read_json_auto read_json_objects read_json_objects_auto read_ndjson read_ndjson_auto
      read_ndjson_objects read_parquet read_text sniff_csv
    `),
    },
    {
      why: "a query changes nothing: no setting, log, profile, random seed, checkpoint or parser",
      names: names(`
      check_peg_parser checkpoint disable_logging disable_peg_parser disable_profiling enable_logging
      enable_peg_parser enable_profiling force_checkpoint truncate_duckdb_logs setseed write_log nextval currval
    `),
    },
    {
      why: "it would show what others do, or the settings, paths and secrets of this machine",
      names: names(`
      current_query current_setting duckdb_approx_database_count duckdb_connection_count duckdb_databases duckdb_extensions
      duckdb_external_file_cache duckdb_log_contexts duckdb_logs duckdb_logs_parsed duckdb_memory duckdb_optimizers
      duckdb_prepared_statements duckdb_profiling_settings duckdb_secret_types duckdb_secrets duckdb_settings
      duckdb_temporary_files duckdb_variables parse_duckdb_log_message pragma_database_size pragma_metadata_info
      pragma_platform pragma_storage_info pragma_user_agent which_secret get_block_size pragma_database_list pg_settings
      pg_prepared_statements
    `),
    },
    {
      why: "its argument is SQL or the name of a table, which would be run without having been checked",
      names: names(`
      query query_table json_execute_serialized_sql json_serialize_plan json_deserialize_sql
      sql_auto_complete pragma_show histogram_values from:histogram
    `),
    },
    {
      why: "it only waits",
      names: names(`
      sleep_ms pg_sleep
    `),
    },
    {
      why: "DuckDB uses it internally, and relies on its arguments",
      names: names(`
      __internal_* combine finalize constant_or_null create_sort_key cast_to_type make_type replace_type
      remap_struct seq_scan vector_type variant_bytes_to_variant variant_normalize variant_to_parquet_variant
      is_histogram_other_bin normalized_interval timetz_byte_comparable test_all_types test_vector_types
      duckdb_table_sample duckdb_coordinate_systems
    `),
    },
    {
      why: "write COLLATE instead",
      names: names(`
      icu_collate_* icu_sort_key
    `),
    },
  ]

/** Those that are spelt out. No function has the name of a pattern, or of one after FROM, as they are written here. */
export const refusedNames: ReadonlySet<string> = new Set(
  refused.flatMap(({ names: all }) => [...all]),
)

/** Why the name is refused, if somebody has decided so; `from` after FROM, where some names mean something else. */
export const refusal = (name: string, kind: "call" | "from" = "call"): string | undefined =>
  refused.find(({ names: all }) =>
    [...all].some((each) =>
      each.endsWith("*")
        ? name.startsWith(each.slice(0, -1))
        : each === name || (kind === "from" && each === `from:${name}`),
    ),
  )?.why
