// Users of Samba, through pdbedit.
import { type Dict, isDict, shlexQuote, splitLines, str, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changes,
  defineModule,
  type FunctionContext,
  type Result,
  reads,
  ret,
  runAll,
} from '../../../sdk/mod.ts'
import { md4 } from './module/md4.ts'

const ntHash = (password: string): string =>
  Buffer.from(md4(Buffer.from(password, 'utf16le')))
    .toString('hex')
    .toUpperCase()

/** Parse blocks of `label: value` lines between lines of dashes; a line without a label continues the one before. */
function parseUsers(text: string): Dict {
  const users: Dict = new Map()
  for (const block of text.split(/\n-+|-+\n/)) {
    const user: Dict = new Map()
    let last = ''
    for (const line of splitLines(block)) {
      if (line.trim() === '') continue
      const colon = line.indexOf(':')
      if (colon < 0) user.set(last, str(user.get(last) ?? '') + line.trim())
      else user.set((last = line.slice(0, colon).trim().toLowerCase()), line.slice(colon + 1).trim())
    }
    if (user.size > 0) users.set(user.get('unix username') ?? '', user)
  }
  return users
}

async function details(ctx: FunctionContext, hashes: boolean): Promise<Dict> {
  const style = hashes ? '--smbpasswd-style' : ''
  const { retcode, stdout, stderr } = await runAll(ctx, `pdbedit --list --verbose ${style}`)
  if (retcode === 0) return parseUsers(stdout)
  ctx.log('error', stderr)
  return new Map()
}

async function names(ctx: FunctionContext): Promise<Result> {
  const { retcode, stdout, stderr } = await runAll(ctx, 'pdbedit --list')
  if (retcode > 0) return { Error: stderr }
  return splitLines(stdout).flatMap((line) => (line.split(':').length >= 3 ? line.split(':').slice(0, 1) : []))
}

async function knows(ctx: FunctionContext, login: string): Promise<boolean> {
  const known = await names(ctx)
  return Array.isArray(known) && known.includes(login)
}

/** Run a change; return the error of pdbedit, or undefined. */
async function complaint(ctx: FunctionContext, words: string, options: Record<string, Value> = {}) {
  const { retcode, stderr } = await runAll(ctx, `pdbedit ${words}`, options)
  return retcode > 0 ? stderr : undefined
}

async function create(
  ctx: FunctionContext,
  login: string,
  password: string,
  isHash: boolean,
  isMachine: boolean,
): Promise<string> {
  const hash = isHash ? password.toUpperCase() : ntHash(password)
  const typed = isHash ? '' : password
  const user = shlexQuote(login)
  let outcome = 'unchanged'
  if (!(await knows(ctx, login))) {
    const words = `--create --user ${user} -t ${isMachine ? '--machine' : ''}`
    const failure = await complaint(ctx, words, { stdin: `${typed}\n${typed}\n`, stdin_raw_newlines: true })
    if (failure !== undefined) return failure
    outcome = 'created'
  }
  const entry = (await details(ctx, true)).get(login) ?? null
  if (isDict(entry) && entry.get('nt hash') === hash) return outcome
  const failure = await complaint(ctx, `--modify --user ${user} --set-nt-hash=${shlexQuote(hash)}`)
  return failure ?? (outcome === 'created' ? outcome : 'updated')
}

const login = arg.string('Login of the user')
const password_hashed = arg.flag('Whether the password is a hash', { default: false })
const modifyArgs = {
  login,
  password: arg.text('Password', { optional: true, secret: true }),
  password_hashed,
  domain: arg.text('Domain', { optional: true }),
  profile: arg.text('Path of the profile', { optional: true }),
  script: arg.text('Logon script', { optional: true }),
  drive: arg.text('Drive of the home directory', { optional: true }),
  homedir: arg.text('Home directory', { optional: true }),
  fullname: arg.text('Full name', { optional: true }),
  account_desc: arg.text('Description', { optional: true }),
  account_control: arg.text('Account flags, such as [NX]', { optional: true }),
  machine_sid: arg.text('Security identifier of the machine', { optional: true }),
  user_sid: arg.text('Security identifier of the user', { optional: true }),
  reset_login_hours: arg.flag('Whether login hours are reset', { default: false }),
  reset_bad_password_count: arg.flag('Whether the count of failed logins is reset', { default: false }),
}

type Modification = Omit<Bound<typeof modifyArgs>, 'login'>

/** Label of pdbedit, argument of `modify`, and the option that sets it. */
const FIELDS = [
  ['domain', 'domain', '--domain='],
  ['full name', 'fullname', '--fullname='],
  ['account desc', 'account_desc', '--account-desc='],
  ['home directory', 'homedir', '--homedir='],
  ['homedir drive', 'drive', '--drive='],
  ['profile path', 'profile', '--profile='],
  ['logon script', 'script', '--script='],
  ['account flags', 'account_control', '--account-control='],
  ['user sid', 'user_sid', '-U '],
  ['machine sid', 'machine_sid', '-M '],
] as const

/** Return the new value of a field; undefined if it stays. */
function changed(ctx: FunctionContext, label: string, wanted: string | null, current: Dict): string | undefined {
  if (wanted === null) return undefined
  if (label === 'account flags') {
    const letters = [...wanted.replace(/^\[(.*).$/, '$1').toUpperCase()]
    for (const letter of letters.filter((flag) => !'NDHLX'.includes(flag))) {
      ctx.log('warning', `pdbedit.modify - unknown ${letter} flag for account_control, ignored`)
    }
    return `[${letters.filter((flag) => 'NDHLX'.includes(flag)).join('')}]`
  }
  const now = current.get(label)
  if (now === undefined) return undefined
  const same = label.endsWith(' sid') ? str(now).endsWith(wanted) : now === wanted
  return same ? undefined : wanted
}

async function modify(ctx: FunctionContext, login: string, given: Modification): Promise<string> {
  let outcome = 'unchanged'
  if (given.password) {
    outcome = await create(ctx, login, given.password, given.password_hashed, false)
    if (!['updated', 'created', 'unchanged'].includes(outcome)) return outcome
  } else if (!(await knows(ctx, login))) return 'absent'
  const entry = (await details(ctx, true)).get(login) ?? null
  const current: Dict = isDict(entry) ? entry : new Map()
  const words = FIELDS.flatMap(([label, argument, option]) => {
    const value = changed(ctx, label, given[argument], current)
    return value === undefined ? [] : [`${option}${shlexQuote(value)}`]
  })
  if (given.reset_login_hours) words.push('--logon-hours-reset')
  if (given.reset_bad_password_count) words.push('--bad-password-count-reset')
  if (words.length === 0) return outcome
  const failure = await complaint(ctx, `--modify --user ${shlexQuote(login)} ${words.join(' ')}`)
  return failure ?? (outcome === 'created' ? outcome : 'updated')
}

const hashes = arg.flag('Whether hashes of passwords are returned', { default: false })

export default defineModule({
  name: 'pdbedit',
  doc: 'Manage users of Samba.',
  when: async ({ host }) => {
    if ((await host.which('pdbedit')) === undefined) return 'pdbedit command is not available'
    const { stdout } = await host.run({ argv: ['pdbedit', '-V'], mergeStderr: true })
    const [, major, minor] = /^Version\s(\d+)\.(\d+)\.(\d+).*$/.exec(Buffer.from(stdout).toString().trim()) ?? []
    if (major === undefined) return 'pdbedit -V returned an unknown version format'
    return (Number(major) >= 4 && Number(minor) >= 5) || 'pdbedit is to old, 4.5.0 or newer is required'
  },
  functions: {
    generate_nt_hash: reads({
      doc: 'Return the NT hash of a password.',
      example: 'pdbedit.generate_nt_hash my_passwd',
      args: { password: arg.string('Password', { secret: true }) },
      run: (_ctx, { password }) => Buffer.from(ntHash(password)),
    }),
    list: reads({
      doc: 'Return all users.',
      args: {
        verbose: arg.flag('Whether details by login are returned; else a list of logins', { default: true }),
        hashes,
      },
      calledAs: 'list_users',
      run: (ctx, { verbose, hashes }) => (verbose ? details(ctx, hashes) : names(ctx)),
    }),
    get: reads({
      doc: 'Return the details of a user.',
      args: { login, hashes },
      calledAs: 'get_user',
      example: 'pdbedit.get kaylee',
      run: async (ctx, { login, hashes }) => (await details(ctx, hashes)).get(login) ?? new Map(),
    }),
    delete: changes({
      doc: 'Remove a user.',
      example: 'pdbedit.delete wash',
      args: { login },
      run: async (ctx, { login }) => {
        if (!(await knows(ctx, login))) return { [login]: 'absent' }
        return { [login]: (await complaint(ctx, `--delete ${shlexQuote(login)}`)) ?? 'deleted' }
      },
      returns: ret.dict('Outcome by login: deleted, absent, created, updated, unchanged, or an error'),
    }),
    create: changes({
      doc: 'Create a user, or set the password of a user.',
      example: 'pdbedit.create zoe 9764951149F84E770889011E1DC4A927 nthash',
      args: {
        login,
        password: arg.string('Password', { secret: true }),
        password_hashed,
        machine_account: arg.flag('Whether it is the account of a machine', { default: false }),
      },
      run: async (ctx, { login, password, password_hashed, machine_account }) => ({
        [login]: await create(ctx, login, password, password_hashed, machine_account),
      }),
    }),
    modify: changes({
      doc: 'Change a user, or create one if a password is given.',
      example: "pdbedit.modify inara fullname='Inara Serra'",
      args: modifyArgs,
      run: async (ctx, { login, ...given }) => ({ [login]: await modify(ctx, login, given) }),
      returns: ret.dict('Outcome by login: deleted, absent, created, updated, unchanged, or an error'),
    }),
  },
})
