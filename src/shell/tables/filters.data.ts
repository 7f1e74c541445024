/**
 * Words of jq and yq that read only the input. Not here: `env`, `$ENV`, `strenv`, `envsubst`, `load`, `strload` and similar
 * ones, `eval`, `system`, `import`, `include`, `modulemeta`, `get_search_list`, `input_filename`; and `def`, which redefines
 * words.
 */
export const filterWords: ReadonlySet<string> = new Set(
  (
    'if then elif else end as and or not reduce foreach try catch label break true false null ' +
    'empty error length utf8bytelength keys keys_unsorted values has in inside contains indices index rindex ' +
    'path paths leaf_paths getpath setpath delpaths del to_entries from_entries with_entries select map map_values ' +
    'recurse recurse_down walk add any all flatten range floor ceil round sqrt pow log log2 log10 exp exp2 exp10 abs ' +
    'fabs trunc tostring tonumber type infinite nan isinfinite isnan isnormal isvalid sort sort_by group_by min max ' +
    'min_by max_by unique unique_by reverse startswith endswith ltrimstr rtrimstr trimstr trim ltrim rtrim explode ' +
    'implode split splits join ascii ascii_downcase ascii_upcase while until repeat first last nth limit skip combinations ' +
    'transpose bsearch tojson fromjson todate fromdate now date dateadd datesub strptime strftime strflocaltime mktime ' +
    'gmtime localtime fromdateiso8601 todateiso8601 test match capture scan sub gsub input inputs debug stderr ' +
    'input_line_number truncate_stream fromstream tostream getpath_or_null pick omit objects arrays strings numbers ' +
    'booleans nulls iterables scalars tojson toarray have_literal_numbers halt halt_error splits ' +
    'downcase upcase to_number to_string tag kind style line column key parent filename fi file_index document_index di ' +
    'anchor alias explode ireduce to_yaml from_yaml to_json from_json to_props to_xml from_xml to_csv to_tsv sort_keys ' +
    'any_c all_c headComment lineComment footComment head_comment line_comment foot_comment comments'
  ).split(' '),
);
