// Entries of the file of host names.
import { BrineError } from '../../../base/mod.ts'
import { type Dict, ipAddress, str, textOf, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

interface Wish {
  name: string
  ip: Value
  comment: string
  clean: boolean
}

interface Plan {
  add: Set<string>
  remove: Set<string>
  comment: Set<string>
  notes: string[]
  warnings: string[]
  failed: boolean
}

const addressesIn = (ip: Value): string[] => (Array.isArray(ip) ? (ip as Value[]) : [ip]).map((item) => str(item))

function isAddress(text: string): boolean {
  try {
    ipAddress(text)
    return true
  } catch (error) {
    if (error instanceof BrineError) return false
    throw error
  }
}

function plan(wish: Wish, hosts: Dict): Plan {
  const { name, comment } = wish
  const wanted = addressesIn(wish.ip)
  const missing = wanted.filter((address) => !hosts.has(address))
  const plan: Plan = {
    add: new Set(missing),
    remove: new Set(),
    comment: new Set(comment === '' ? [] : missing),
    notes: [],
    warnings: [],
    failed: false,
  }
  for (const [key, info] of hosts) {
    const address = str(key)
    const aliases = info instanceof Map ? info.get('aliases') : undefined
    const has = Array.isArray(aliases) && aliases.includes(name)
    if (wanted.includes(address))
      settle(plan, wish, address, has, info instanceof Map ? info.get('comment') : undefined)
    else if (has && wish.clean) plan.remove.add(address)
    else if (has) plan.warnings.push(elsewhere(name, address))
  }
  return plan
}

/** For an address that is wanted and has an entry. */
function settle(plan: Plan, { name, comment }: Wish, address: string, has: boolean, held: Value | undefined): void {
  if (!has && !isAddress(address)) {
    plan.failed = true
    plan.notes.push(`Invalid IP Address for ${name} (${address})`)
    return
  }
  if (!has) plan.add.add(address)
  if (comment !== '' && (!has || held !== comment)) plan.comment.add(address)
  else if (has) plan.notes.push(`Host ${name} (${address}) already present`)
}

const elsewhere = (name: string, address: string): string =>
  `Host ${name} present for IP address ${address}. To get rid of this warning, either run this state with 'clean' set to True to remove ${name} from ${address}, or add ${address} to the 'ip' argument.`

interface Step {
  addresses: Set<string>
  key: string
  value: string
  call(address: string): Value | Promise<Value>
  would(address: string): string
  done(address: string): string
  not(address: string): string
  /** Whether a dry run foresees a change of the result. */
  foreseen: boolean
}

async function present(ctx: StateContext, wish: Wish): Promise<StateReturn> {
  const { name, comment } = wish
  const hosts = await ctx.call('hosts.list_hosts')
  const { add, remove, comment: commented, notes, warnings, failed } = plan(wish, hosts)
  const changes: Dict = new Map()
  let result: boolean | null = !failed
  const steps: Step[] = [
    {
      addresses: add,
      key: 'added',
      value: name,
      call: (address) => ctx.call('hosts.add_host', [address, name]),
      would: (address) => `Host ${name} (${address}) would be added`,
      done: (address) => `Added host ${name} (${address})`,
      not: (address) => `Failed to add host ${name} (${address})`,
      foreseen: true,
    },
    {
      addresses: commented,
      key: 'comment_added',
      value: comment,
      call: (address) => ctx.call('hosts.set_comment', [address, comment]),
      would: (address) => `Comment for ${address} (${comment}) would be added`,
      done: (address) => `Set comment for host ${address} (${comment})`,
      not: (address) => `Failed to add comment for host ${address} (${comment})`,
      foreseen: false,
    },
    {
      addresses: remove,
      key: 'removed',
      value: name,
      call: (address) => ctx.call('hosts.rm_host', [address, name]),
      would: (address) => `Host ${name} (${address}) would be removed`,
      done: (address) => `Removed host ${name} (${address})`,
      not: (address) => `Failed to remove host ${name} (${address})`,
      foreseen: true,
    },
  ]
  for (const step of steps) {
    for (const address of step.addresses) {
      const done = ctx.test || truthy(await step.call(address))
      notes.push(ctx.test ? step.would(address) : done ? step.done(address) : step.not(address))
      if (ctx.test && step.foreseen) result = null
      if (!done) result = false
      else changes.set(step.key, ((changes.get(step.key) ?? new Map()) as Dict).set(address, [step.value]))
    }
  }
  return { name, changes, result, comment: notes.join('\n'), ...(warnings.length > 0 && { warnings }) }
}

async function absent(ctx: StateContext, name: string, ip: Value): Promise<StateReturn> {
  const notes: string[] = []
  let result: boolean | null = null
  let changes = {}
  for (const address of addressesIn(ip)) {
    if (!truthy(await ctx.call('hosts.has_pair', [address, name]))) {
      result = true
      notes.push(`Host ${name} (${address}) already absent`)
    } else if (ctx.test) notes.push(`Host ${name} (${address}) needs to be removed`)
    else if (truthy(await ctx.call('hosts.rm_host', [address, name]))) {
      changes = { host: name }
      result = true
      notes.push(`Removed host ${name} (${address})`)
    } else {
      result = false
      notes.push('Failed to remove host')
    }
  }
  return { name, changes, result, comment: notes.join('\n') }
}

async function only(ctx: StateContext, name: string, hostnames: Value): Promise<StateReturn> {
  const names = textOf(hostnames) === undefined ? (hostnames as Value[]) : [hostnames]
  const held = (await ctx.call('hosts.get_alias', [name])).map((alias) => str(alias)).join(' ')
  const wanted = names.map((item) => str(item).trim()).join(' ')
  const report = (result: boolean | null, comment: string): StateReturn => ({ name, changes: {}, result, comment })
  if (held === wanted) return report(true, `IP address ${name} already set to "${wanted}"`)
  const change = `${name} from "${held}" to "${wanted}"`
  if (ctx.test) return report(null, `Would change ${change}`)
  if (!truthy(await ctx.call('hosts.set_host', [name, wanted]))) {
    return report(false, `hosts.set_host failed to change ${change}`)
  }
  return { ...report(true, `successfully changed ${change}`), changes: { [name]: { old: held, new: wanted } } }
}

const name = arg.string('The host name')
const ip = arg.any('The address, or a list of addresses')

export default defineState({
  name: 'host',
  doc: 'Give names to addresses in the file of host names.',
  functions: {
    present: state({
      doc: 'A name belongs to addresses.',
      args: {
        name,
        ip,
        comment: arg.string('A comment behind the entry', { default: '' }),
        clean: arg.boolean('Take the name from all other addresses', { default: false }),
      },
      run: present,
    }),
    absent: state({
      doc: 'A name does not belong to addresses.',
      args: { name, ip },
      run: (ctx, { name, ip }) => absent(ctx, name, ip),
    }),
    only: state({
      doc: 'An address has these names and no others.',
      args: { name: arg.string('The address'), hostnames: arg.any('A name, or a list of names') },
      run: (ctx, { name, hostnames }) => only(ctx, name, hostnames),
    }),
  },
})
