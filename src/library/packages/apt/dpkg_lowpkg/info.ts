// Facts about installed packages, from one call of dpkg-query: one field per line, packages separated by a marker line.
import { type Dict, failure, splitLines, str, truthy, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, runAll, textAt } from '../../../../sdk/mod.ts'

const FIELDS: readonly [name: string, field: string][] = [
  ['package', 'Package'],
  ['revision', 'binary:Revision'],
  ['architecture', 'Architecture'],
  ['maintainer', 'Maintainer'],
  ['summary', 'Summary'],
  ['source', 'source:Package'],
  ['version', 'Version'],
  ['section', 'Section'],
  ['installed_size', 'Installed-size'],
  ['size', 'Size'],
  ['MD5', 'MD5sum'],
  ['SHA1', 'SHA1'],
  ['SHA256', 'SHA256'],
  ['origin', 'Origin'],
  ['homepage', 'Homepage'],
  ['status', 'db:Status-Abbrev'],
  ['install_date', 'db-fsys:Last-Modified'],
  ['description', 'Description'],
]

const END = '*/~^\\*'
const FORMAT = `-f=${FIELDS.map(([name, field]) => `${name}:\${${field}}\\n`).join('')}\\n${END.replace('\\', '\\\\')}\\n`

/** Fields that are left out. */
const TECHNICAL = [
  'installed_size',
  'depends',
  'recommends',
  'provides',
  'replaces',
  'conflicts',
  'bugs',
  'description-md5',
  'task',
]

function isoTime(seconds: string): string | undefined {
  if (!/^\d+$/.test(seconds)) return undefined
  return new Date(Number(seconds) * 1000).toISOString().replace(/\.\d+Z$/, 'Z')
}

function parsePackage(text: string): Dict {
  const at = text.indexOf('\ndescription:')
  const facts: Dict = new Map()
  for (const line of text.slice(0, at).split('\n')) {
    const [, name, raw] = /^([^:]+):(.*)$/.exec(line.trim()) ?? []
    const value = name === 'install_date' ? isoTime(raw!) : raw
    if (name !== undefined && value) facts.set(name, value)
  }
  return facts.set('description', text.slice(at + '\ndescription:'.length))
}

async function query(ctx: FunctionContext, packages: readonly Value[], failhard: boolean): Promise<Dict[]> {
  const { retcode, stdout, stderr } = await runAll(ctx, ['dpkg-query', '-W', FORMAT, ...packages.map(str)])
  if (retcode !== 0) {
    if (failhard) throw failure(`Error getting packages information: ${stderr}`)
    return []
  }
  const texts = stdout.split(/\r?\n\*\/~\^\\\*(?:\r?\n|)/)
  return texts.filter((text) => text.trim() !== '').map(parsePackage)
}

async function licences(ctx: FunctionContext, name: string): Promise<string> {
  const text = (await textAt(ctx.host, `/usr/share/doc/${name}/copyright`)) ?? ''
  const lines = splitLines(text).filter((line) => line.startsWith('License:'))
  return [...new Set(lines.map((line) => line.slice('License:'.length).trim()))].sort().join(', ')
}

/** Return the data of dselect about available packages, if it is installed. */
async function available(ctx: FunctionContext): Promise<Map<string, Dict>> {
  const found = new Map<string, Dict>()
  if ((await ctx.host.which('dselect')) === undefined) return found
  const call = await runAll(ctx, ['dpkg-query', '--print-avail'], { ignore_retcode: true })
  for (const text of call.retcode === 0 ? call.stdout.split('Package:') : []) {
    const facts: Dict = new Map()
    for (const line of `Package:${text}`.split('\n')) {
      const [, name, value] = /^(.*?): (.*)$/.exec(line) ?? []
      if (value?.trim()) facts.set(name!.toLowerCase(), value)
    }
    if (facts.has('package')) found.set(str(facts.get('package')!), facts)
  }
  return found
}

export async function info(ctx: FunctionContext, packages: readonly Value[], failhard: Value): Promise<Dict> {
  const more = await available(ctx)
  const found: Dict = new Map()
  for (const facts of await query(ctx, packages, truthy(failhard))) {
    const name = str(facts.get('package')!)
    for (const [key, value] of more.get(name) ?? []) if (!facts.has(key)) facts.set(key, value)
    for (const key of TECHNICAL) facts.delete(key)
    const licence = await licences(ctx, name)
    if (licence !== '') facts.set('license', licence)
    found.set(name, facts)
  }
  return found
}
