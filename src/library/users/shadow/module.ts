// Passwords and their ages on Linux: read from the shadow file, set by chage and passwd. A hash is written to the file
// itself, so that it is in no list of processes.
import { type Dict, decodeBytes, equals, intFromText, str, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, isHostError, isTrue, reads, ret } from '../../../sdk/mod.ts'

const FIELDS = ['name', 'passwd', 'lstchg', 'min', 'max', 'warn', 'inact', 'expire'] as const
const PLAINLY = { python_shell: false }
const QUIETLY = { python_shell: false, output_loglevel: 'quiet' }

const below = (root: Value, path: string): string => `${root ? str(root).replace(/\/$/, '') : ''}${path}`
const rootOption = (root: Value): Value[] => (root === null ? [] : ['-R', root])

async function rows(ctx: FunctionContext, root: Value): Promise<string[][]> {
  const text = decodeBytes(await ctx.host.read(below(root, '/etc/shadow')))
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim().split(':')]))
}

/** All fields are empty texts when there is no such user. */
async function info(ctx: FunctionContext, name: Value, root: Value): Promise<Dict> {
  const row = await entry(ctx, name, root)
  return new Map(
    FIELDS.map((field, index): [Value, Value] => {
      const text = row?.[index] ?? ''
      return [field, row === undefined || index < 2 ? text : text === '' ? -1 : intFromText(text)]
    }),
  )
}

async function entry(ctx: FunctionContext, name: Value, root: Value): Promise<string[] | undefined> {
  try {
    return (await rows(ctx, root)).find(([user]) => user === name)
  } catch (error) {
    if (isHostError(error, 'ENOENT')) return undefined
    throw error
  }
}

const passwordOf = async (ctx: FunctionContext, name: Value, root: Value): Promise<string> =>
  str((await info(ctx, name, root)).get('passwd')!)

interface Attribute {
  key: (typeof FIELDS)[number]
  option: string
  /** Whether the file tells the outcome, or chage. */
  checked: boolean
}

async function setAttribute(
  ctx: FunctionContext,
  name: Value,
  value: Value,
  root: Value,
  { key, option, checked }: Attribute,
): Promise<boolean> {
  const before = await info(ctx, name, root)
  if (before.get('name') === '') return false
  if (equals(value, before.get(key)!)) return true
  const command = ['chage', ...rootOption(root), option, value, name]
  const done = (await ctx.call('cmd.retcode', [command], PLAINLY)) === 0
  return checked ? equals((await info(ctx, name, root)).get(key)!, value) : done
}

/** Sets or clears the mark of a locked password. */
async function lock(ctx: FunctionContext, name: Value, root: Value, locked: boolean): Promise<boolean> {
  const before = await info(ctx, name, root)
  if (before.get('name') === '') return false
  if (str(before.get('passwd')!).startsWith('!') === locked) return true
  await ctx.call('cmd.run', [['passwd', ...rootOption(root), locked ? '-l' : '-u', name]], PLAINLY)
  return (await passwordOf(ctx, name, root)).startsWith('!') === locked
}

async function setPassword(
  ctx: FunctionContext,
  name: Value,
  password: Value,
  usermod: boolean,
  root: Value,
): Promise<Value> {
  if ((await ctx.call('cmd.retcode', [['id', name]], { ignore_retcode: true })) !== 0) {
    ctx.log('warning', `user ${str(name)} does not exist, cannot set password`)
    return false
  }
  if (usermod) await ctx.call('cmd.run', [['usermod', ...rootOption(root), '-p', password, name]], QUIETLY)
  else if (!(await writeHash(ctx, str(name), str(password), root))) return new Map()
  return (await passwordOf(ctx, name, root)) === password
}

/** False when there is no such file. */
async function writeHash(ctx: FunctionContext, name: string, hash: string, root: Value): Promise<boolean> {
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

const name = arg.any('The user')
const root = arg.any('The directory that stands for /', { optional: true })

const setter = (fun: string, parameter: string, doc: string, attribute: Attribute) =>
  changes({
    doc,
    args: { name, [parameter]: arg.any('The value'), root },
    returns: ret.boolean('Whether it is so now'),
    example: `shadow.${fun} username 7`,
    run: (ctx, args) => {
      const given = args as unknown as Record<string, Value>
      return setAttribute(ctx, given['name']!, given[parameter]!, given['root']!, attribute)
    },
  })

const ages = {
  set_inactdays: setter('set_inactdays', 'inactdays', 'Set for how many days an expired password still works.', {
    key: 'inact',
    option: '-I',
    checked: true,
  }),
  set_maxdays: setter('set_maxdays', 'maxdays', 'Set for how many days a password is valid.', {
    key: 'max',
    option: '-M',
    checked: true,
  }),
  set_mindays: setter('set_mindays', 'mindays', 'Set how many days must pass between changes of the password.', {
    key: 'min',
    option: '-m',
    checked: true,
  }),
  set_warndays: setter('set_warndays', 'warndays', 'Set how many days before the end of a password to warn.', {
    key: 'warn',
    option: '-W',
    checked: true,
  }),
  set_date: setter('set_date', 'date', 'Set when the password was changed, in days since 1970.', {
    key: 'lstchg',
    option: '-d',
    checked: false,
  }),
  set_expire: setter('set_expire', 'expire', 'Set when the account ends, in days since 1970; -1 for never.', {
    key: 'expire',
    option: '-E',
    checked: false,
  }),
}

export default defineModule({
  name: 'linux_shadow',
  virtual: 'shadow',
  doc: 'Work with passwords and their ages.',
  when: ({ grains }) => grains.get('kernel') === 'Linux' || 'the shadow file is read on Linux only',
  functions: {
    default_hash: reads({
      doc: 'What stands for a password that was never set.',
      args: {},
      returns: ret.string('An exclamation mark'),
      example: 'shadow.default_hash',
      run: () => '!',
    }),
    info: reads({
      doc: 'What the shadow file tells about a user.',
      args: { name, root },
      returns: ret.dict('Hash and ages'),
      example: 'shadow.info root',
      run: (ctx, { name, root }) => info(ctx, name, root),
    }),
    ...ages,
    gen_password: reads({
      doc: 'The hash of a password.',
      args: {
        password: arg.any('The password', { secret: true }),
        crypt_salt: arg.any('The salt; a random one when not given', { optional: true }),
        algorithm: arg.any('sha512, sha256 or md5', { default: 'sha512' }),
      },
      returns: ret.string('The hash'),
      example: "shadow.gen_password 'I_am_password' crypt_salt='I_am_salt' algorithm=sha256",
      run: (ctx, given) => ctx.call('random.shadow_hash', [], given),
    }),
    del_password: changes({
      doc: 'Take the password away, so that none is needed.',
      args: { name, root },
      returns: ret.boolean('Whether there is none now'),
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
      returns: ret.boolean('Whether it is locked'),
      example: 'shadow.lock_password username',
      run: (ctx, { name, root }) => lock(ctx, name, root, true),
    }),
    unlock_password: changes({
      doc: 'Unlock the password of a user.',
      args: { name, root },
      returns: ret.boolean('Whether it is not locked'),
      example: 'shadow.unlock_password username',
      run: (ctx, { name, root }) => lock(ctx, name, root, false),
    }),
    set_password: changes({
      doc: 'Set the hash of a password.',
      args: {
        name,
        password: arg.any('The hash', { secret: true }),
        use_usermod: arg.any('Let usermod do it, which shows the hash in the list of processes', { default: false }),
        root,
      },
      returns: ret.any('Whether it is so now; an empty dict without the file of hashes'),
      example: "shadow.set_password root '$1$UYCIxa628.9qXjpQCjM4a..'",
      run: (ctx, { name, password, use_usermod, root }) => setPassword(ctx, name, password, isTrue(use_usermod), root),
    }),
    list_users: reads({
      doc: 'All users of the shadow file.',
      args: { root },
      returns: ret.texts('Their names'),
      example: 'shadow.list_users',
      run: async (ctx, { root }) => (await rows(ctx, root)).map(([user = '']) => user).sort(),
    }),
  },
})
