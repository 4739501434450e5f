// Creating a user, and then setting its password and ages.
import { type Dict, equals, str, textOf, truthy, type Value } from '../../../../data/mod.ts'
import type { StateContext, StateReturn } from '../../../../sdk/mod.ts'
import { isWindows, kernelIs, offers, REDACTED, shadowInfo, userInfo, type WantedUser } from './wanted.ts'

const UNIX = [
  'uid gid groups home shell unique system fullname roomnumber workphone homephone other createhome nologinit',
  'loginclass local usergroup',
]
  .join(' ')
  .split(' ') as (keyof WantedUser)[]

function parameters(ctx: StateContext, wanted: WantedUser): Record<string, Value> {
  const { name } = wanted
  if (!isWindows(ctx)) return { name, ...Object.fromEntries(UNIX.map((key) => [key, wanted[key]])) }
  const { password, fullname, groups, home } = wanted
  return {
    ...{ name, password, fullname, description: wanted.win_description, groups, home },
    ...{ homedrive: wanted.win_homedrive, profile: wanted.win_profile, logonscript: wanted.win_logonscript },
  }
}

export async function addUser(ctx: StateContext, wanted: WantedUser): Promise<StateReturn> {
  const { name } = wanted
  const made = await ctx.call('user.add', [], parameters(ctx, wanted))
  if (made !== true) {
    // Windows answers with the error
    const comment = textOf(made) ?? `Failed to create new user ${name}`
    return { name, changes: {}, result: false, comment }
  }
  const changes = await userInfo(ctx, name, wanted.local)
  // the home directory does not exist yet
  if (!wanted.createhome) changes.set('home', '')
  const complaint = await finish(ctx, wanted, changes)
  return { name, changes, result: complaint === undefined, comment: complaint ?? `New user ${name} created` }
}

/** Set password and ages; return the settings that failed. */
async function finish(ctx: StateContext, wanted: WantedUser, changes: Dict): Promise<string | undefined> {
  const hasPassword = Boolean(wanted.password) && !wanted.empty_password
  if (kernelIs(ctx, 'Darwin', 'Windows')) {
    if (!hasPassword) return undefined
    const set = isWindows(ctx) ? 'user.setpassword' : 'shadow.set_password'
    const done = truthy(await ctx.call(set, [wanted.name, wanted.password]))
    changes.set('passwd', REDACTED)
    return done ? undefined : `User ${wanted.name} created but failed to set password to ${REDACTED}`
  }
  return (await offers(ctx, 'shadow.info')) ? setShadow(ctx, wanted, hasPassword, changes) : undefined
}

interface Step {
  wanted: boolean
  fun: string
  args: Value[]
  /** The field of the shadow file and its wanted value. */
  field: string
  value: Value
  key: string
  shown: Value
  complaint: string
}

async function setShadow(
  ctx: StateContext,
  wanted: WantedUser,
  hasPassword: boolean,
  changes: Dict,
): Promise<string | undefined> {
  const { name, password, date } = wanted
  const age = (
    option: 'date' | 'mindays' | 'maxdays' | 'inactdays' | 'warndays' | 'expire',
    field: string,
    what: string,
  ): Step => ({
    wanted: option === 'date' ? date !== null : truthy(wanted[option]),
    ...{ fun: `shadow.set_${option}`, args: [wanted[option]], field, value: wanted[option] },
    ...{ key: option, shown: wanted[option], complaint: `set ${what} to ${str(wanted[option])}` },
  })
  const steps: Step[] = [
    {
      ...{ wanted: hasPassword, fun: 'shadow.set_password', args: [password], field: 'passwd', value: password },
      ...{ key: 'password', shown: REDACTED, complaint: `set password to ${REDACTED}` },
    },
    {
      wanted: wanted.empty_password && !password,
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
