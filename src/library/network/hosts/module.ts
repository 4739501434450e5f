// The hosts file: /etc/hosts, or the path in the option `hosts.file`.
import { decodeBytes, splitWords, str, strip, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import {
  addAlias,
  aliasesOf,
  existingHostsFile,
  forgetHosts,
  hostTable,
  isPlainFile,
  writeHosts,
} from './module/host-table.ts'

async function hasPair(ctx: FunctionContext, ip: string, alias: Value): Promise<boolean> {
  const names = aliasesOf((await hostTable(ctx)).get(ip))
  return Array.isArray(alias) ? alias.every((name) => names.includes(name)) : names.includes(alias)
}

/** Return the lines of the file, including line ends. */
async function lines(ctx: FunctionContext, path: string): Promise<string[]> {
  return decodeBytes(await ctx.host.read(path)).match(/[^\n]*\n|[^\n]+$/g) ?? []
}

const isEntry = (line: string): boolean => strip(line) !== '' && !strip(line).startsWith('#')

async function setHost(ctx: FunctionContext, ip: string, alias: string, comment: string | null): Promise<boolean> {
  const path = await existingHostsFile(ctx)
  if (!(await isPlainFile(ctx, path))) return false
  forgetHosts(ctx)
  const entry = strip(alias) === '' ? '' : `${ip}\t\t${alias}${comment ? `\t\t# ${comment}` : ''}\n`
  let placed = false
  const kept = (await lines(ctx, path)).map((line) => {
    if (!isEntry(line) || splitWords(line)[0] !== ip) return line
    const replacement = placed ? '' : entry
    placed = true
    return replacement
  })
  if (!placed) {
    const last = kept.length - 1
    if (last >= 0 && !kept[last]!.endsWith('\n')) kept[last] += '\n'
    kept.push(entry)
  }
  await ctx.host.write(path, kept.join(''))
  return true
}

async function removeHost(ctx: FunctionContext, ip: string, alias: string): Promise<boolean> {
  if (!(await hasPair(ctx, ip, alias))) return true
  forgetHosts(ctx)
  const path = await existingHostsFile(ctx)
  const kept = (await lines(ctx, path)).map((line) => (isEntry(line) ? withoutAlias(line, ip, alias) : line))
  await ctx.host.write(path, kept.join(''))
  return true
}

function withoutAlias(line: string, ip: string, alias: string): string {
  const [info = '', comment] = strip(line).split('#')
  const [address, ...names] = splitWords(info)
  if (address !== ip) return line
  const rest = names.filter((name) => name !== alias).map((name) => `${name} `)
  if (rest.length === 0) return ''
  return `${address}\t\t${rest.join('')}${comment ? `# ${comment.trimStart()}` : ''}\n`
}

async function addHost(ctx: FunctionContext, ip: string, alias: Value): Promise<boolean> {
  if (!(await isPlainFile(ctx, await existingHostsFile(ctx)))) return false
  if (await hasPair(ctx, ip, alias)) return true
  const table = await hostTable(ctx)
  forgetHosts(ctx)
  addAlias(table, ip, alias)
  await writeHosts(ctx, table)
  return true
}

async function setComment(ctx: FunctionContext, ip: string, comment: string): Promise<boolean> {
  if (!(await isPlainFile(ctx, await existingHostsFile(ctx)))) return false
  const table = await hostTable(ctx)
  forgetHosts(ctx)
  const entry = table.get(ip)
  if (!(entry instanceof Map)) return false
  if (entry.get('comment') === comment) return true
  entry.set('comment', comment)
  await writeHosts(ctx, table)
  return true
}

const ip = arg.string('IP address')

export default defineModule({
  name: 'hosts',
  doc: 'Read and change the hosts file.',
  functions: {
    list_hosts: reads({
      doc: 'Return all entries.',
      returns: ret.dict('Names and comment by address'),
      run: hostTable,
    }),
    get_ip: reads({
      doc: 'Return the address of a host name.',
      args: { host: arg.text('Host name') },
      returns: ret.string('The address, or an empty text'),
      example: 'hosts.get_ip <hostname>',
      run: async (ctx, { host }) => {
        for (const [address, entry] of await hostTable(ctx)) if (aliasesOf(entry).includes(host)) return str(address)
        return ''
      },
    }),
    get_alias: reads({
      doc: 'Return the host names of an address.',
      args: { ip: arg.text('IP address') },
      returns: ret.list('The host names'),
      example: 'hosts.get_alias <ip addr>',
      run: async (ctx, { ip }) => aliasesOf((await hostTable(ctx)).get(ip)),
    }),
    has_pair: reads({
      doc: 'Return whether an address has a host name, or all host names of a list.',
      args: { ip: arg.text('IP address'), alias: arg.textOrList('Host name, or a list of host names') },
      returns: ret.boolean('Whether the address has the names'),
      example: 'hosts.has_pair <ip> <alias>',
      run: (ctx, { ip, alias }) => hasPair(ctx, ip, alias),
    }),
    set_host: changes({
      doc: 'Set the host names of an address. Empty text removes the entry.',
      args: {
        ip,
        alias: arg.string('Host names, separated by spaces'),
        comment: arg.string('Comment of the entry', { optional: true }),
      },
      returns: ret.boolean('Whether the file was written'),
      example: 'hosts.set_host <ip> <alias>',
      run: (ctx, { ip, alias, comment }) => setHost(ctx, ip, alias, comment),
    }),
    rm_host: changes({
      doc: 'Remove a host name from an address.',
      args: { ip, alias: arg.text('Host name') },
      returns: ret.boolean('True'),
      example: 'hosts.rm_host <ip> <alias>',
      run: (ctx, { ip, alias }) => removeHost(ctx, ip, alias),
    }),
    add_host: changes({
      doc: 'Add a host name to an address.',
      args: { ip, alias: arg.textOrList('Host name, or a list of host names') },
      returns: ret.boolean('Whether the address has the name now'),
      example: 'hosts.add_host <ip> <alias>',
      run: (ctx, { ip, alias }) => addHost(ctx, ip, alias),
    }),
    set_comment: changes({
      doc: 'Set the comment of an entry.',
      args: { ip, comment: arg.text('Comment') },
      returns: ret.boolean('Whether the address has an entry'),
      example: 'hosts.set_comment <ip> <comment>',
      run: (ctx, { ip, comment }) => setComment(ctx, ip, comment),
    }),
  },
})
