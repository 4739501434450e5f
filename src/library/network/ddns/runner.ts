// Records of the DNS, changed from the master at the server that keeps them: dig asks it, nsupdate tells it. A file of keys is
// used when there is one, and reaches nsupdate by its input, where no list of processes shows it.
import {
  type Dict,
  isDict,
  loadJson,
  SaltError,
  splitLines,
  splitWords,
  str,
  truthy,
  type Value,
} from '../../../data/mod.ts'
import { arg, defineRunner, type MasterContext, masterFn } from '../../../sdk/mod.ts'

interface Server {
  keyname: Value
  keyfile: Value
  nameserver: Value
  timeout: Value
  port: Value
  keyalgorithm: Value
}

interface Wish extends Server {
  zone: Value
  name: Value
}

interface Answer {
  ttl: string
  value: string
}

const rooted = (name: string): string => (name.endsWith('.') ? name : `${name}.`)

/** The name within its zone, which may be given with it. */
function fullName({ zone, name }: Pick<Wish, 'zone' | 'name'>): string {
  const own = str(name).includes(str(zone)) ? str(name).replaceAll(str(zone), '').replace(/\.+$/, '') : str(name)
  return `${own}.${str(zone)}`
}

async function command(ctx: MasterContext, words: string[], stdin?: string): Promise<{ ok: boolean; text: string }> {
  const options = { python_shell: false, ignore_retcode: true, ...(stdin !== undefined && { stdin }) }
  const ran = (await ctx.function('cmd.run_all', [words], options)) as Dict
  const ok = ran.get('retcode') === 0
  return {
    ok,
    text: str((ok ? ran.get('stdout') : truthy(ran.get('stderr')!) ? ran.get('stderr') : ran.get('stdout'))!),
  }
}

async function lookUp(ctx: MasterContext, name: string, type: string, server: Server): Promise<Answer[]> {
  const where = [`@${str(server.nameserver)}`, '-p', str(server.port), `+time=${str(server.timeout)}`, '+tries=1']
  const { ok, text } = await command(ctx, ['dig', ...where, '+noall', '+answer', rooted(name), type])
  if (!ok) throw new SaltError('CommandExecutionError', text || `${str(server.nameserver)} does not answer`)
  return splitLines(text).flatMap((line) => {
    const [, ttl = '', , kind = '', ...value] = splitWords(line)
    return line.startsWith(';') || kind === '' ? [] : [{ ttl, value: value.join(' ') }]
  })
}

async function keyLines(ctx: MasterContext, { keyfile, keyname, keyalgorithm }: Server): Promise<string[]> {
  if (!truthy(keyfile) || (await ctx.host.stat(str(keyfile)))?.type !== 'file') return []
  const keys = loadJson(Buffer.from(await ctx.host.read(str(keyfile))).toString())
  const secret = isDict(keys) ? keys.get(keyname) : undefined
  if (secret === undefined) throw new SaltError('CommandExecutionError', `${str(keyfile)} has no key ${str(keyname)}`)
  const algorithm = str(keyalgorithm)
    .toLowerCase()
    .replace(/\.sig-alg\.reg\.int\.?$/, '')
    .replaceAll('_', '-')
  return [`key ${algorithm}:${str(keyname)} ${str(secret)}`]
}

async function tell(ctx: MasterContext, zone: Value, server: Server, lines: readonly string[]): Promise<boolean> {
  const head = [`server ${str(server.nameserver)} ${str(server.port)}`, `zone ${rooted(str(zone))}`]
  const script = [...head, ...(await keyLines(ctx, server)), ...lines, 'send', ''].join('\n')
  const { ok, text } = await command(ctx, ['nsupdate', '-t', str(server.timeout)], script)
  if (!ok) ctx.log('error', text)
  return ok
}

type RecordWish = Wish & { ttl: Value; rdtype: Value; data: Value }

async function create(ctx: MasterContext, wish: RecordWish): Promise<string> {
  const [name, type, data] = [fullName(wish), str(wish.rdtype), str(wish.data)]
  const known = (await lookUp(ctx, name, type, wish)).find(({ value }) => value === data)
  if (known) return `Record of type '${type}' already exists with ttl of ${known.ttl}`
  const told = await tell(ctx, wish.zone, wish, [`update add ${rooted(name)} ${str(wish.ttl)} ${type} ${data}`])
  return told ? `Created record of type '${type}': ${name} -> ${data}` : `Failed to create record of type '${type}'`
}

async function update(ctx: MasterContext, wish: RecordWish & { replace: Value }): Promise<string> {
  const [name, type, data] = [fullName(wish), str(wish.rdtype), str(wish.data)]
  const known = await lookUp(ctx, name, type, wish)
  if (known.length === 0) return 'No matching DNS record(s) found'
  const isThere = known.some(({ value, ttl }) => value === data && ttl === str(wish.ttl))
  if (isThere && !(truthy(wish.replace) && known.length > 1)) {
    return `Record of type '${type}' already present with ttl of ${str(wish.ttl)}`
  }
  const lines = [`update delete ${rooted(name)} ${type}`, `update add ${rooted(name)} ${str(wish.ttl)} ${type} ${data}`]
  return (await tell(ctx, wish.zone, wish, lines))
    ? `Updated record of type '${type}'`
    : `Failed to update record of type '${type}'`
}

async function remove(ctx: MasterContext, wish: Wish & { rdtype: Value; data: Value }): Promise<string> {
  const name = fullName(wish)
  const type = truthy(wish.rdtype) ? str(wish.rdtype) : ''
  if ((await lookUp(ctx, name, type || 'ANY', wish)).length === 0) return 'No matching DNS record(s) found'
  const value = type !== '' && truthy(wish.data) ? ` ${str(wish.data)}` : ''
  const told = await tell(ctx, wish.zone, wish, [`update delete ${rooted(name)} ${type}${value}`.trimEnd()])
  return told ? 'Deleted DNS record(s)' : 'Failed to delete DNS record(s)'
}

/** The reverse zones that may hold an address, from the longest on: what stands in the zone, and its name. */
function reverseNames(address: string): Array<{ name: string; zone: string }> {
  const parts = address.split('.').reverse()
  return parts.slice(1).map((_, at) => ({
    name: parts.slice(0, at + 1).join('.'),
    zone: `${parts.slice(at + 1).join('.')}.in-addr.arpa.`,
  }))
}

/** Works on one reverse zone after the other until one says the word. */
async function reversed(
  address: string,
  word: string,
  work: (place: ReversePlace) => Promise<string>,
): Promise<string> {
  let answer = ''
  for (const place of reverseNames(address)) {
    answer = await work(place)
    if (answer.includes(word)) break
  }
  return answer
}

type ReversePlace = ReturnType<typeof reverseNames>[number]

async function addHost(ctx: MasterContext, wish: Wish & { ttl: Value; ip: Value }): Promise<Dict> {
  const name = fullName(wish)
  const forward = await create(ctx, { ...wish, rdtype: 'A', data: wish.ip })
  const back = await reversed(str(wish.ip), 'Created', (place) =>
    create(ctx, { ...wish, ...place, rdtype: 'PTR', data: `${name}.` }),
  )
  return new Map([[name, [forward, back]]])
}

async function deleteHost(ctx: MasterContext, wish: Wish): Promise<Dict> {
  const name = fullName(wish)
  const addresses = (await lookUp(ctx, name, 'A', wish)).map(({ value }) => value)
  const told = [`${await remove(ctx, { ...wish, rdtype: null, data: null })} of type 'A'`]
  for (const address of addresses) {
    const back = await reversed(address, 'Deleted', (place) =>
      remove(ctx, { ...wish, ...place, rdtype: 'PTR', data: `${name}.` }),
    )
    told.push(back.includes('Deleted') ? `${back} of type 'PTR'` : back)
  }
  return new Map([[name, told]])
}

const one = async (wish: Wish, answer: Promise<string>): Promise<Dict> => new Map([[fullName(wish), await answer]])

const place = { zone: arg.text('The zone'), name: arg.text('The name in it') }
const ttl = arg.text('The lifetime of the record, in seconds')
const record = { ttl, rdtype: arg.text('Its type'), data: arg.any('Its value') }
const server = {
  keyname: arg.any('The name of the key'),
  keyfile: arg.text('The JSON file of keys; none is used when there is no such file'),
  nameserver: arg.text('The address of the server'),
  timeout: arg.any('Seconds to wait', { default: 5 }),
}
const last = {
  port: arg.any('The port of the server', { default: 53 }),
  keyalgorithm: arg.text('The algorithm of the key', { default: 'hmac-md5' }),
}

export default defineRunner({
  name: 'ddns',
  doc: 'Records of the DNS, changed at their server.',
  functions: {
    create: masterFn({
      doc: 'Create a record.',
      args: { ...place, ...record, ...server, ...last },
      examples: [
        'salt-run ddns.create domain.com my-test-vm 3600 A 10.20.30.40 my-tsig-key /etc/salt/tsig.keyring 10.0.0.1 5',
      ],
      run: (ctx, wish) => one(wish, create(ctx, wish)),
    }),
    update: masterFn({
      doc: 'Change a record that is there.',
      args: {
        ...place,
        ...record,
        ...server,
        replace: arg.flag('Whether other records of this type go', { default: false }),
        ...last,
      },
      examples: [
        'salt-run ddns.update domain.com my-test-vm 3600 A 10.20.30.40 my-tsig-key /etc/salt/tsig.keyring 10.0.0.1 5',
      ],
      run: (ctx, wish) => one(wish, update(ctx, wish)),
    }),
    delete: masterFn({
      doc: 'Remove records.',
      args: {
        ...place,
        ...server,
        rdtype: arg.text('Only this type', { optional: true }),
        data: arg.any('Only this value', { optional: true }),
        ...last,
      },
      examples: ['salt-run ddns.delete domain.com my-test-vm my-tsig-key /etc/salt/tsig.keyring 10.0.0.1 5 A'],
      run: (ctx, wish) => one(wish, remove(ctx, wish)),
    }),
    add_host: masterFn({
      doc: 'Add the address of a host, and its name by the address.',
      args: { ...place, ttl, ip: arg.text('The address'), ...server, ...last },
      examples: [
        'salt-run ddns.add_host domain.com my-test-vm 3600 10.20.30.40 my-tsig-key /etc/salt/tsig.keyring 10.0.0.1 5',
      ],
      run: addHost,
    }),
    delete_host: masterFn({
      doc: 'Remove a host, and its name by its addresses.',
      args: { ...place, ...server, ...last },
      examples: ['salt-run ddns.delete_host domain.com my-test-vm my-tsig-key /etc/salt/tsig.keyring 10.0.0.1 5'],
      run: deleteHost,
    }),
  },
})
