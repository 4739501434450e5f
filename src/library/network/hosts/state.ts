// States of entries of the hosts file.
import { BrineError, isA, recover } from '../../../base/mod.ts'
import { type Dict, ipAddress, isDict, isList, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changed,
  defineState,
  ensure,
  failed,
  type StateContext,
  type StateReturn,
  settled,
  state,
} from '../../../sdk/mod.ts'

type Entry = Bound<typeof presentArgs>

interface Plan {
  add: Set<string>
  remove: Set<string>
  comment: Set<string>
  notes: string[]
  warnings: string[]
  isInvalid: boolean
}

const addressesIn = (ip: Value): string[] => (isList(ip) ? ip : [ip]).map(str)

function isAddress(text: string): boolean {
  return recover(isA(BrineError), false, () => {
    ipAddress(text)
    return true
  })
}

function plan(entry: Entry, hosts: Dict): Plan {
  const { name, comment } = entry
  const wanted = addressesIn(entry.ip)
  const missing = wanted.filter((address) => !hosts.has(address))
  const plan: Plan = {
    add: new Set(missing),
    remove: new Set(),
    comment: new Set(comment === '' ? [] : missing),
    notes: [],
    warnings: [],
    isInvalid: false,
  }
  for (const [key, info] of hosts) {
    const address = str(key)
    const [aliases, held] = isDict(info) ? [info.get('aliases'), info.get('comment')] : []
    const has = Array.isArray(aliases) && aliases.includes(name)
    if (wanted.includes(address)) settle(plan, entry, address, has, held)
    else if (has && entry.clean) plan.remove.add(address)
    else if (has) plan.warnings.push(elsewhere(name, address))
  }
  return plan
}

/** Compare an address that is wanted and has an entry. */
function settle(plan: Plan, { name, comment }: Entry, address: string, has: boolean, held: Value | undefined): void {
  if (!has && !isAddress(address)) {
    plan.isInvalid = true
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
  /** Whether the step makes the result of a dry run None. */
  foreseen: boolean
}

async function present(ctx: StateContext, entry: Entry): Promise<StateReturn> {
  const { name, comment } = entry
  const hosts = await ctx.call('hosts.list_hosts')
  const { add, remove, comment: commented, notes, warnings, isInvalid } = plan(entry, hosts)
  const changes: Record<string, Record<string, string[]>> = {}
  let result: boolean | null = !isInvalid
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
      else changes[step.key] = { ...changes[step.key], [address]: [step.value] }
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

function only(ctx: StateContext, name: string, hostnames: Value): Promise<StateReturn> {
  const wanted = (isList(hostnames) ? hostnames : [hostnames]).map((item) => str(item).trim()).join(' ')
  const change = (held: string): string => `${name} from "${held}" to "${wanted}"`
  return ensure(ctx, {
    name,
    look: async () => {
      const held = (await ctx.call('hosts.get_alias', [name])).map(str).join(' ')
      return held === wanted ? settled(`IP address ${name} already set to "${wanted}"`) : held
    },
    foresee: (held) => `Would change ${change(held)}`,
    act: async (held) => {
      if (!truthy(await ctx.call('hosts.set_host', [name, wanted]))) {
        return failed(`hosts.set_host failed to change ${change(held)}`)
      }
      return changed(`successfully changed ${change(held)}`, { [name]: { old: held, new: wanted } })
    },
  })
}

const name = arg.string('Host name')
const ip = arg.textOrList('IP address, or a list of IP addresses')

const presentArgs = {
  name,
  ip,
  comment: arg.string('Comment of the entries', { default: '' }),
  clean: arg.boolean('Whether to remove the name from all other addresses', { default: false }),
}

export default defineState({
  name: 'host',
  doc: 'Manage entries of the hosts file.',
  functions: {
    present: state({ doc: 'Ensure that a host name belongs to addresses.', args: presentArgs, run: present }),
    absent: state({
      doc: 'Ensure that a host name does not belong to addresses.',
      args: { name, ip },
      run: (ctx, { name, ip }) => absent(ctx, name, ip),
    }),
    only: state({
      doc: 'Ensure that an address has only the given host names.',
      args: { name: arg.string('IP address'), hostnames: arg.textOrList('Host name, or a list of host names') },
      run: (ctx, { name, hostnames }) => only(ctx, name, hostnames),
    }),
  },
})
