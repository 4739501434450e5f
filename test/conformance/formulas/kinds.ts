// The coarse class of an error text; two implementations fail alike when their errors are of one class.

const KINDS: ReadonlyArray<readonly [RegExp, string]> = [
  [/Jinja variable/, 'jinja-undefined'],
  [/TemplateNotFound/, 'template-missing'],
  [/Jinja syntax error/, 'jinja-syntax'],
  [/found conflicting ID/, 'yaml-duplicate-id'],
  [/requisite/i, 'requisite'],
  [
    /not formed as a list|needs to be formed as a list|is not a dictionary|not formatted as a dictionary/,
    'bad-structure',
  ],
  [/while (?:parsing|scanning|constructing)|did not find expected|mapping values are not allowed/, 'yaml-error'],
  [/Specified SLS .* is not available/, 'sls-not-found'],
]

export function kindOf(text: string): string {
  return KINDS.find(([pattern]) => pattern.test(text))?.[1] ?? 'other'
}
