// Making a user that is not there, and then its password and ages.
import { type Dict, equals, str, textOf, truthy, type Value } from '../../../../data/mod.ts'
import type { StateContext, StateReturn } from '../../../../sdk/mod.ts'
import { isWindows, kernelIs, offers, REDACTED, shadowInfo, userInfo, type Wish } from './wish.ts'

const UNIX = [
  'uid gid groups home shell unique system fullname roomnumber workphone homephone other createhome nologinit',
  'loginclass local usergroup',
]
  .join(' ')
  .split(' ') as (keyof Wish)[]

function parameters(ctx: StateContext, wish: Wish): Record<string, Value> {
  const { name } = wish
  if (!isWindows(ctx)) return { name, ...Object.fromEntries(UNIX.map((key) => [key, wish[key]])) }
  const { password, fullname, groups, home } = wish
  return {
    ...{ name, password, fullname, description: wish.win_description, groups, home },
    ...{ homedrive: wish.win_homedrive, profile: wish.win_profile, logonscript: wish.win_logonscript },
  }
}

export async function addUser(ctx: StateContext, wish: Wish): Promise<StateReturn> {
  const { name } = wish
  const made = await ctx.call('user.add', [], parameters(ctx, wish))
  if (made !== true) {
    // Windows answers with what went wrong
    const comment = textOf(made) ?? `Failed to create new user ${name}`
    return { name, changes: {}, result: false, comment }
  }
  const changes = await userInfo(ctx, name, wish.local)
  // there is no home yet, whatever the account says
  if (!truthy(wish.createhome)) changes.set('home', '')
  const complaint = await finish(ctx, wish, changes)
  return { name, changes, result: complaint === undefined, comment: complaint ?? `New user ${name} created` }
}

/** What could not be set, or undefined. */
async function finish(ctx: StateContext, wish: Wish, changes: Dict): Promise<string | undefined> {
  const hasPassword = truthy(wish.password) && !truthy(wish.empty_password)
  if (kernelIs(ctx, 'Darwin', 'Windows')) {
    if (!hasPassword) return undefined
    const set = isWindows(ctx) ? 'user.setpassword' : 'shadow.set_password'
    const done = truthy(await ctx.call(set, [wish.name, wish.password]))
    changes.set('passwd', REDACTED)
    return done ? undefined : `User ${wish.name} created but failed to set password to ${REDACTED}`
  }
  return (await offers(ctx, 'shadow.info')) ? setShadow(ctx, wish, hasPassword, changes) : undefined
}

interface Step {
  wanted: boolean
  fun: string
  args: Value[]
  /** The field of the shadow file and what it should be then. */
  field: string
  value: Value
  key: string
  shown: Value
  complaint: string
}

async function setShadow(
  ctx: StateContext,
  wish: Wish,
  hasPassword: boolean,
  changes: Dict,
): Promise<string | undefined> {
  const { name, password, date } = wish
  const age = (
    option: 'date' | 'mindays' | 'maxdays' | 'inactdays' | 'warndays' | 'expire',
    field: string,
    what: string,
  ): Step => ({
    wanted: option === 'date' ? date !== null : truthy(wish[option]),
    ...{ fun: `shadow.set_${option}`, args: [wish[option]], field, value: wish[option] },
    ...{ key: option, shown: wish[option], complaint: `set ${what} to ${str(wish[option])}` },
  })
  const steps: Step[] = [
    {
      ...{ wanted: hasPassword, fun: 'shadow.set_password', args: [password], field: 'passwd', value: password },
      ...{ key: 'password', shown: REDACTED, complaint: `set password to ${REDACTED}` },
    },
    {
      wanted: truthy(wish.empty_password) && !truthy(password),
      ...{ fun: 'shadow.del_password', args: [], field: 'passwd', value: '' },
      ...{ key: 'password', shown: '', complaint: 'empty password' },
    },
    age('date', 'lstchg', 'last change date'),
    age('mindays', 'min', 'minimum days'),
    age('maxdays', 'max', 'maximum days'),
    age('inactdays', 'inact', 'inactive days'),
    age('warndays', 'warn', 'warn days'),
    age('expire', 'expire', 'expire days'),
  ]
  let complaint: string | undefined
  for (const step of steps) {
    if (!step.wanted) continue
    await ctx.call(step.fun, [name, ...step.args])
    const held = (await shadowInfo(ctx, name)).get(step.field) ?? null
    if (!equals(held, step.value)) complaint = `User ${name} created but failed to ${step.complaint}`
    changes.set(step.key, step.shown)
  }
  return complaint
}
