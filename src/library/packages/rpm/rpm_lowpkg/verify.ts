// Differences between installed files and their packages.
import { type Dict, dictFrom, failure, misuse, str, truthy, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, runAll } from '../../../../sdk/mod.ts'
import { listed } from '../../common/installed.ts'

const FILE_TYPES: Readonly<Record<string, string>> = { c: 'config', d: 'doc', g: 'ghost', l: 'license', r: 'readme' }

/** Letter and meaning by position in the line. */
const MISMATCHES: readonly [string, string][] = [
  ['S', 'size'],
  ['M', 'mode'],
  ['5', 'md5sum'],
  ['D', 'device major/minor number'],
  ['L', 'readlink path'],
  ['U', 'user'],
  ['G', 'group'],
  ['T', 'mtime'],
  ['P', 'capabilities'],
]

const KEYS = ['size', 'mode', 'checksum', 'device', 'symlink', 'owner', 'group', 'time', 'capabilities']

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '')

const rootWords = (options: ReadonlyMap<string, Value>): string[] =>
  truthy(options.get('root') ?? null) ? ['--root', str(options.get('root')!)] : []

function option(kwargs: ReadonlyMap<string, Value>, name: string): string[] {
  const value = kwargs.get(name) ?? []
  if (!Array.isArray(value) && typeof value !== 'string') {
    throw misuse(`${name} must be a list or a comma-separated string`)
  }
  return listed(value)
}

export async function verify(
  ctx: FunctionContext,
  packages: readonly string[],
  kwargs: ReadonlyMap<string, Value>,
): Promise<Dict> {
  const ignored = option(kwargs, 'ignore_types')
  const options = option(kwargs, 'verify_options').map((word) => `--${word}`)
  const asked = packages.length > 0 ? ['-V', ...packages] : ['-Va']
  const words = ['rpm', ...rootWords(kwargs), ...options, ...asked]
  const { retcode, stdout, stderr } = await runAll(ctx, words, { output_loglevel: 'trace', ignore_retcode: true })
  if (stdout.trim() === '' && retcode !== 0) {
    throw failure(`Failed to verify package(s)${stderr === '' ? '' : `: ${stderr}`}`)
  }
  const found: Dict = new Map()
  for (const raw of lines(stdout)) {
    const missing = raw.includes('missing')
    const line = missing ? ` ${raw}` : raw
    const type = FILE_TYPES[line[11] ?? '']
    if (type !== undefined && ignored.includes(type)) continue
    const mismatch = MISMATCHES.filter(([letter], i) => line[i] === letter).map(([, meaning]) => meaning)
    const facts = new Map<Value, Value>(missing ? [['missing', true]] : [['mismatch', mismatch]])
    if (type !== undefined) facts.set('type', type)
    found.set(line.slice(13), facts)
  }
  return found
}

/** Return the files that differ and the kinds of difference, filtered by `flags`. */
export async function modified(
  ctx: FunctionContext,
  packages: readonly string[],
  flags: ReadonlyMap<string, Value>,
): Promise<Dict> {
  const words = ['rpm', ...rootWords(flags), '-Va', ...packages]
  const { pid, retcode, stdout, stderr } = await runAll(ctx, words, { output_loglevel: 'trace' })
  if (retcode > 1) return dictFrom({ pid, retcode, stderr })
  const found: Dict = new Map()
  if (retcode === 0) return found
  const wanted = [...flags].filter(([name]) => name !== 'root' && !name.startsWith('_'))
  for (const line of lines(stdout)) {
    const parts = line.split(/\s+/)
    const differs = KEYS.filter((_, i) => (parts[0]![i] ?? '.') !== '.')
    if (parts.length === 3) differs.push('config')
    const fits = wanted.every(([name, value]) => truthy(value) === differs.includes(name))
    if (fits) found.set(parts.at(-1)!, differs)
  }
  return found
}
