// Files that the server does not serve: `file_ignore_regex` and `file_ignore_glob`.
import { compileRegex, type Dict, fnmatch, str, type Value } from '../data/mod.ts'

const listed = (value: Value | undefined): string[] =>
  Array.isArray(value) ? (value as Value[]).map((item) => str(item)) : []

export function isIgnored(opts: Dict, path: string): boolean {
  return (
    listed(opts.get('file_ignore_regex')).some((pattern) => compileRegex(pattern).search(path) !== null) ||
    listed(opts.get('file_ignore_glob')).some((glob) => fnmatch(path, glob))
  )
}
