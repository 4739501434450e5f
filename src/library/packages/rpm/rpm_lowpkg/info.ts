// Facts of rpm about packages: one query with a line for each attribute, and the description at the end.
import { compareLoose, type Dict, failure, shlexQuote, str, truthy, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, outputOf, runAll } from '../../../../sdk/mod.ts'
import { isoTime } from './package.ts'

const SIGNATURES = ['DSAHEADER', 'RSAHEADER', 'SIGGPG', 'SIGPGP']

/** Return the format of the first signature that exists. */
const signature = (): string =>
  SIGNATURES.reduceRight((rest, tag) => `%|${tag}?{%{${tag}:pgpsig}}:{${rest}}|`, '(none)')

const attributes = (size: string): Record<string, string> => ({
  name: 'name: %{NAME}\\n',
  relocations: 'relocations: %|PREFIXES?{[%{PREFIXES} ]}:{(not relocatable)}|\\n',
  version: 'version: %{VERSION}\\n',
  vendor: 'vendor: %{VENDOR}\\n',
  release: 'release: %{RELEASE}\\n',
  epoch: '%|EPOCH?{epoch: %{EPOCH}\\n}|',
  build_date_time_t: 'build_date_time_t: %{BUILDTIME}\\n',
  build_date: 'build_date: %{BUILDTIME}\\n',
  install_date_time_t: 'install_date_time_t: %|INSTALLTIME?{%{INSTALLTIME}}:{(not installed)}|\\n',
  install_date: 'install_date: %|INSTALLTIME?{%{INSTALLTIME}}:{(not installed)}|\\n',
  build_host: 'build_host: %{BUILDHOST}\\n',
  group: 'group: %{GROUP}\\n',
  source_rpm: 'source_rpm: %{SOURCERPM}\\n',
  size: `size: ${size}\\n`,
  arch: 'arch: %{ARCH}\\n',
  license: '%|LICENSE?{license: %{LICENSE}\\n}|',
  signature: `signature: ${signature()}\\n`,
  packager: '%|PACKAGER?{packager: %{PACKAGER}\\n}|',
  url: '%|URL?{url: %{URL}\\n}|',
  summary: 'summary: %{SUMMARY}\\n',
  edition: 'edition: %|EPOCH?{%{EPOCH}:}|%{VERSION}-%{RELEASE}\\n',
})

const DESCRIPTION = 'description:\\n%{DESCRIPTION}\\n'

function queryOf(size: string, attr: string[] | undefined): string {
  const known = attributes(size)
  const wanted = attr?.filter((name) => name in known) ?? Object.keys(known)
  if (attr && wanted.length === 0) throw failure('No valid attributes found.')
  const asked = [...new Set([...wanted, 'name', 'edition'])]
  const last = !attr || attr.includes('description') ? DESCRIPTION : ''
  return `${asked.map((name) => known[name]).join('')}${last}-----\\n`
}

function parsed(text: string, described: boolean): Dict | undefined {
  const lines = text.split('\n')
  if (lines.at(-1)?.toLowerCase().startsWith('distribution')) lines.pop()
  const start = lines.findIndex((line) => /^description:\s*$/.test(line))
  const data: Dict = new Map()
  for (const line of start < 0 ? lines : lines.slice(0, start)) {
    const [, key, value] = /^\s*([^:]*?)\s*:(.*)$/.exec(line) ?? []
    if (key !== undefined) setField(data, key, value!.trim())
  }
  if (described) data.set('description', start < 0 ? '' : lines.slice(start + 1).join('\n'))
  return data.has('name') ? data : undefined
}

function setField(data: Dict, key: string, value: string): void {
  const isTime = /^(?:build|install)_date/.test(key)
  if (!isTime) {
    if (value !== '') data.set(key, value)
    return
  }
  if (!/^\d+$/.test(value)) return
  data.set(key, key.endsWith('_t') ? Number(value) : `${isoTime(Number(value))}Z`)
}

export async function packageInfo(
  ctx: FunctionContext,
  packages: readonly string[],
  kwargs: ReadonlyMap<string, Value>,
): Promise<Dict> {
  const tags = (await outputOf(ctx, ['rpm', '--querytags'])).split('\n')
  const asked = kwargs.get('attr') ?? null
  const attr = truthy(asked) ? str(asked).split(',') : undefined
  const root = truthy(kwargs.get('root') ?? null) ? ['--root', str(kwargs.get('root')!)] : []
  const words = ['rpm', ...root, ...(packages.length > 0 ? ['-q', ...packages] : ['-qa'])]
  const query = queryOf(tags.includes('LONGSIZE') ? '%{LONGSIZE}' : '%{SIZE}', attr)
  const env = new Map<Value, Value>([['TZ', 'UTC']])
  const line = `${words.join(' ')} --queryformat ${shlexQuote(query)}`
  const options = { output_loglevel: 'trace', env, clean_env: true, ignore_retcode: true }
  const { stdout } = await runAll(ctx, line, options)
  const described = !attr || attr.includes('description')
  const found = stdout
    .split(/----*/)
    .map((part) => parsed(part.trim(), described))
    .filter((data) => data !== undefined)
  found.sort((a, b) => -(compareLoose(str(a.get('edition') ?? ''), str(b.get('edition') ?? '')) ?? 0))
  return byName(found, truthy(kwargs.get('all_versions') ?? null))
}

/** Return the newest version of each package, or all versions. */
function byName(found: readonly Dict[], all: boolean): Dict {
  const result: Dict = new Map()
  for (const data of found) {
    const name = str(data.get('name')!)
    data.delete('name')
    if (name.startsWith('gpg-pubkey')) continue
    if (all) {
      result.set(name, [...((result.get(name) as Value[] | undefined) ?? []), data])
    } else if (!result.has(name)) {
      data.delete('edition')
      result.set(name, data)
    }
  }
  return result
}
