// Functions that Salt runs on the side of the master for targets of salt-ssh. Here all functions do; these only differ in the words of
// their failures.

const ALL = null

const WRAPPED: ReadonlyMap<string, ReadonlySet<string> | null> = new Map([
  ['cmd', new Set(['script', 'script_retcode'])],
  ['config', ALL],
  ['cp', ALL],
  ['defaults', ALL],
  ['grains', new Set(['filter_by', 'get', 'has_value', 'item', 'items', 'ls'])],
  ['mine', new Set(['get'])],
  ['pillar', ALL],
  ['publish', ALL],
  ['saltcheck', ALL],
  ['slsutil', ALL],
  ['state', ALL],
  ['x509', new Set(['create_certificate', 'get_signing_policy'])],
])

export function isWrapped(fun: string): boolean {
  const [module = '', name = ''] = fun.split('.')
  const functions = WRAPPED.get(module)
  return functions === ALL || (functions?.has(name) ?? false)
}
