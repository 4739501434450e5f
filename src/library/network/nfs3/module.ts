// NFS exports of this machine: a line for each path, with hosts and their options. Paths that share a line are written
// on separate lines.
import {
  type Dict,
  decodeBytes,
  dictFrom,
  isList,
  keyError,
  misuse,
  splitLines,
  str,
  typeError,
  type Value,
} from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, runAll } from '../../../sdk/mod.ts'

/** Parse `10.0.0.0/8(rw,sync)`, or a host without options. */
function shareOf(word: string): Dict {
  const [hosts, options] = word.split('(')
  return dictFrom({ hosts: hosts!, options: options === undefined ? [] : options.replaceAll(')', '').split(',') })
}

function exportsIn(text: string): Dict {
  const found: Dict = new Map()
  for (const line of splitLines(text)) {
    const [path = '', ...words] = line
      .replace(/(^|\s)#.*/, '')
      .trim()
      .split(/\s+/)
    if (path === '') continue
    const shares = (found.get(path) ?? []) as Value[]
    found.set(path, shares)
    shares.push(...words.filter((word) => !word.startsWith('/')).map(shareOf))
    for (const other of words.filter((word) => word.startsWith('/'))) found.set(other, shares)
  }
  return found
}

/** Return a part of an entry. Spaces, line ends and parentheses would begin another host, option or entry. */
function part(what: string, text: string): string {
  if (/^[^\s()#,]+$/.test(text)) return text
  throw misuse(`Invalid ${what} of an NFS export: '${text}'`)
}

const listed = async (ctx: FunctionContext, file: string): Promise<Dict> =>
  exportsIn(decodeBytes(await ctx.host.read(file)))

async function written(ctx: FunctionContext, file: string, exports: Dict): Promise<void> {
  const word = (share: Dict): string =>
    ` ${str(share.get('hosts')!)}(${(share.get('options') as Value[]).map(str).join(',')})`
  const lines = [...exports].map(([path, shares]) => `${str(path)}${(shares as Dict[]).map(word).join('')}\n`)
  await ctx.host.write(file, lines.join(''))
}

const exports = arg.string('Path of the exports file', { default: '/etc/exports' })

export default defineModule({
  name: 'nfs3',
  doc: 'Manage the NFS exports of this machine.',
  when: async ({ host }) =>
    (await host.which('showmount')) !== undefined ||
    'The nfs3 execution module failed to load: the showmount binary is not in the path.',
  functions: {
    list_exports: reads({
      doc: 'Return the exports by path.',
      args: { exports },
      run: (ctx, { exports }) => listed(ctx, exports),
    }),
    del_export: changes({
      doc: 'Remove the exports of a path.',
      example: 'nfs3.del_export path=/srv/data',
      args: { exports, path: arg.text('Exported path', { optional: true }) },
      run: async (ctx, { exports, path }) => {
        const all = await listed(ctx, exports)
        if (!all.delete(path)) throw keyError(path)
        await written(ctx, exports, all)
        return all
      },
    }),
    add_export: changes({
      doc: 'Export a path to hosts.',
      example: "nfs3.add_export path='/srv/test' hosts='127.0.0.1' options=['rw']",
      args: {
        exports,
        path: arg.text('Exported path', { optional: true }),
        hosts: arg.any('Hosts, as text such as 10.0.0.0/8; other types raise a TypeError', { optional: true }),
        options: arg.any('List of export options, such as rw', { optional: true }),
      },
      run: async (ctx, { exports, path, hosts, options }) => {
        if (typeof hosts !== 'string') throw typeError('hosts argument must be a string')
        const all = await listed(ctx, exports)
        const share: Dict = new Map<Value, Value>([
          ['hosts', part('host', hosts)],
          ['options', (isList(options) ? options : []).map((option) => part('option', str(option)))],
        ])
        all.set(part('path', str(path)), [...((all.get(path) ?? []) as Value[]), share])
        await written(ctx, exports, all)
        return share
      },
    }),
    reload_exports: changes({
      doc: 'Apply the exports file.',
      run: async (ctx) => {
        const { stdout, stderr } = await runAll(ctx, 'exportfs -r')
        return { stdout, stderr, result: stderr === '' }
      },
    }),
  },
})
