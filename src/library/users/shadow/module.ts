// Passwords and their ages on Linux: read from the shadow file, set by chage and passwd. A hash is written to the file
// itself, so that it is in no list of processes.
import { hasCode, recover } from '../../../base/mod.ts'
import { type Dict, decodeBytes, equals, intFromText, str, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, isTrue, reads, ret } from '../../../sdk/mod.ts'

const FIELDS = ['name', 'passwd', 'lstchg', 'min', 'max', 'warn', 'inact', 'expire'] as const
const PLAINLY = { python_shell: false }
const QUIETLY = { python_shell: false, output_loglevel: 'quiet' }

const below = (root: string | null, path: string): string => `${root ? root.replace(/\/$/, '') : ''}${path}`
const rootOption = (root: string | null): string[] => (root === null ? [] : ['-R', root])

async function rows(ctx: FunctionContext, root: string | null): Promise<string[][]> {
  const text = decodeBytes(await ctx.host.read(below(root, '/etc/shadow')))
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim().split(':')]))
}

/** Return the fields of a user; all are empty texts without such a user. */
async function info(ctx: FunctionContext, name: string, root: string | null): Promise<Dict> {
  const row = await entry(ctx, name, root)
  return new Map(
    FIELDS.map((field, index): [Value, Value] => {
      const text = row?.[index] ?? ''
      return [field, row === undefined || index < 2 ? text : text === '' ? -1 : intFromText(text)]
    }),
  )
}

async function entry(ctx: FunctionContext, name: string, root: string | null): Promise<string[] | undefined> {
  return recover(hasCode('ENOENT'), undefined, async () => (await rows(ctx, root)).find(([user]) => user === name))
}

const passwordOf = async (ctx: FunctionContext, name: string, root: string | null): Promise<string> =>
  str((await info(ctx, name, root)).get('passwd') ?? '')

interface Attribute {
  key: (typeof FIELDS)[number]
  option: string
  /** Whether the file shows the outcome; else the exit code of chage does. */
  checked: boolean
}

async function setAttribute(
  ctx: FunctionContext,
  name: string,
  value: Value,
  root: string | null,
  { key, option, checked }: Attribute,
): Promise<boolean> {
  const before = await info(ctx, name, root)
  if (before.get('name') === '') return false
  if (equals(value, before.get(key) ?? null)) return true
  const command = ['chage', ...rootOption(root), option, value, name]
  const done = (await ctx.call('cmd.retcode', [command], PLAINLY)) === 0
  return checked ? equals((await info(ctx, name, root)).get(key) ?? null, value) : done
}

/** Set or clear the mark of a locked password. */
async function lock(ctx: FunctionContext, name: string, root: string | null, locked: boolean): Promise<boolean> {
  const before = await info(ctx, name, root)
  if (before.get('name') === '') return false
  if (str(before.get('passwd') ?? '').startsWith('!') === locked) return true
  await ctx.call('cmd.run', [['passwd', ...rootOption(root), locked ? '-l' : '-u', name]], PLAINLY)
  return (await passwordOf(ctx, name, root)).startsWith('!') === locked
}

async function setPassword(
  ctx: FunctionContext,
  name: string,
  password: string,
  usermod: boolean,
  root: string | null,
): Promise<Value> {
  if ((await ctx.call('cmd.retcode', [['id', name]], { ignore_retcode: true })) !== 0) {
    ctx.log('warning', `user ${name} does not exist, cannot set password`)
    return false
  }
  if (usermod) await ctx.call('cmd.run', [['usermod', ...rootOption(root), '-p', password, name]], QUIETLY)
  else if (!(await writeHash(ctx, name, password, root))) return new Map()
  return (await passwordOf(ctx, name, root)) === password
}

/** Write a hash to the shadow file; return false without such a file. */
async function writeHash(ctx: FunctionContext, name: string, hash: string, root: string | null): Promise<boolean> {
  const path = below(root, ctx.grains.get('os') === 'ALT' ? `/etc/tcb/${name}/shadow` : '/etc/shadow')
  if ((await ctx.host.stat(path))?.type !== 'file') return false
  const text = decodeBytes(await ctx.host.read(path))
  const today = String(Math.floor(ctx.host.now() / 86_400))
  let found = false
  const lines = text.split('\n').map((line) => {
    const fields = line.trim().split(':').slice(0, 9)
    if (fields[0] !== name) return line
    found = true
    const [user, , , ...ages] = [...fields, ...Array<string>(9 - fields.length).fill('')]
    return [user, hash, today, ...ages].join(':')
  })
  if (!found) ctx.log('warning', `shadow entry not present for user ${name}, adding`)
  await ctx.host.write(path, found ? lines.join('\n') : `${text}${name}:${hash}:${today}::::::\n`)
  return true
}

const name = arg.text('Name of the user')
const root = arg.text('Directory of another root file system', { optional: true })

/** The values that functions with a parameter of a computed name get. */
type Given = { name: string; root: string | null } & Record<string, Value>

const setter = (fun: string, parameter: string, doc: string, attribute: Attribute) =>
  changes({
    doc,
    args: { name, [parameter]: arg.any('Number of days, compared with the present one'), root },
    returns: ret.boolean('Whether the user has the value now'),
    example: `shadow.${fun} username 7`,
    run: (ctx, args) => {
      const { name, root, [parameter]: value = null } = args as unknown as Given
      return setAttribute(ctx, name, value, root, attribute)
    },
  })

const ages = {
  set_inactdays: setter('set_inactdays', 'inactdays', 'Set the number of days that an expired password still works.', {
    key: 'inact',
    option: '-I',
    checked: true,
  }),
  set_maxdays: setter('set_maxdays', 'maxdays', 'Set the number of days that a password is valid.', {
    key: 'max',
    option: '-M',
    checked: true,
  }),
  set_mindays: setter('set_mindays', 'mindays', 'Set the minimum number of days between changes of the password.', {
    key: 'min',
    option: '-m',
    checked: true,
  }),
  set_warndays: setter('set_warndays', 'warndays', 'Set the number of days of warning before a password expires.', {
    key: 'warn',
    option: '-W',
    checked: true,
  }),
  set_date: setter('set_date', 'date', 'Set the day of the last change of the password, in days since 1970.', {
    key: 'lstchg',
    option: '-d',
    checked: false,
  }),
  set_expire: setter(
    'set_expire',
    'expire',
    'Set the day on which the account expires, in days since 1970; -1 for never.',
    {
      key: 'expire',
      option: '-E',
      checked: false,
    },
  ),
}

export default defineModule({
  name: 'linux_shadow',
  virtual: 'shadow',
  doc: 'Manage passwords and their ages.',
  when: ({ grains }) => grains.get('kernel') === 'Linux' || 'the shadow file is read on Linux only',
  functions: {
    default_hash: reads({
      doc: 'Return the text in place of the hash of a password that was never set.',
      returns: ret.string('An exclamation mark'),
      run: () => '!',
    }),
    info: reads({
      doc: 'Return the entry of a user in the shadow file.',
      args: { name, root },
      returns: ret.dict('Hash and ages; empty texts without such a user'),
      example: 'shadow.info root',
      run: (ctx, { name, root }) => info(ctx, name, root),
    }),
    ...ages,
    gen_password: reads({
      doc: 'Return the hash of a password.',
      args: {
        password: arg.text('Password', { secret: true }),
        crypt_salt: arg.text('Salt. Default: a random one', { optional: true }),
        algorithm: arg.any('Algorithm: sha512, sha256 or md5; None for the strongest one', { default: 'sha512' }),
      },
      returns: ret.string('Hash'),
      example: "shadow.gen_password 'I_am_password' crypt_salt='I_am_salt' algorithm=sha256",
      run: (ctx, given) => ctx.call('random.shadow_hash', [], given),
    }),
    del_password: changes({
      doc: 'Remove the password of a user. The user then logs in without a password.',
      args: { name, root },
      returns: ret.boolean('Whether the user has no password now'),
      example: 'shadow.del_password username',
      run: async (ctx, { name, root }) => {
        await ctx.call('cmd.run', [['passwd', ...rootOption(root), '-d', name]], QUIETLY)
        const after = await info(ctx, name, root)
        return after.get('passwd') === '' && after.get('name') === name
      },
    }),
    lock_password: changes({
      doc: 'Lock the password of a user.',
      args: { name, root },
      returns: ret.boolean('Whether the password is locked'),
      example: 'shadow.lock_password username',
      run: (ctx, { name, root }) => lock(ctx, name, root, true),
    }),
    unlock_password: changes({
      doc: 'Unlock the password of a user.',
      args: { name, root },
      returns: ret.boolean('Whether the password is not locked'),
      example: 'shadow.unlock_password username',
      run: (ctx, { name, root }) => lock(ctx, name, root, false),
    }),
    set_password: changes({
      doc: 'Set the hash of a password.',
      args: {
        name,
        password: arg.text('Hash', { secret: true }),
        use_usermod: arg.any(
          'Whether usermod sets it, which shows the hash in the list of processes; a text counts if it is `true`',
          {
            default: false,
          },
        ),
        root,
      },
      returns: ret.any('Whether the user has the hash now; an empty dict without a shadow file'),
      example: "shadow.set_password root '$1$UYCIxa628.9qXjpQCjM4a..'",
      run: (ctx, { name, password, use_usermod, root }) => setPassword(ctx, name, password, isTrue(use_usermod), root),
    }),
    list_users: reads({
      doc: 'Return the users in the shadow file.',
      args: { root },
      returns: ret.texts('Sorted names of the users'),
      run: async (ctx, { root }) => (await rows(ctx, root)).map(([user = '']) => user).sort(),
    }),
  },
})
