// Users of FreeBSD and DragonFly, through the pw command.
import { type Dict, equals, failure, PySet, type SaltError, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  isTrue,
  outputOf,
  reads,
  ret,
  succeeds,
  type User,
} from '../../../sdk/mod.ts'
import { groupsOf, kernelIs } from './useradd/passwd.ts'

const NOTES = ['fullname', 'roomnumber', 'workphone', 'homephone'] as const
type Note = (typeof NOTES)[number]

/** Return the parts of the comment field; the last one takes further commas. */
function notesOf({ gecos }: User): Record<Note, string> {
  const parts = gecos.split(',')
  const [fullname = '', roomnumber = '', workphone = ''] = parts
  return { fullname, roomnumber, workphone, homephone: parts.slice(3).join(',') }
}

const joined = (notes: Readonly<Record<Note, string>>): string => NOTES.map((note) => notes[note]).join(',')

async function info(ctx: FunctionContext, name: string): Promise<Dict> {
  const user = await ctx.host.user(name)
  if (user === undefined) return new Map()
  return new Map<Value, Value>([
    ['gid', user.gid],
    ['groups', await groupsOf(ctx, name)],
    ['home', user.home],
    ['name', user.name],
    ['passwd', user.passwd ?? '*'],
    ['shell', user.shell],
    ['uid', user.uid],
    ...Object.entries(notesOf(user)),
  ])
}

const missing = (name: string): SaltError => failure(`User '${name}' does not exist`)

/** Change one field unless it has the value; the account shows whether it worked. */
async function change(
  ctx: FunctionContext,
  name: string,
  field: string,
  value: Value,
  words: Value[],
): Promise<boolean> {
  const before = await info(ctx, name)
  if (before.size === 0) throw missing(name)
  if (equals(before.get(field) ?? null, value)) return true
  await outputOf(ctx, ['pw', 'usermod', ...words])
  const after = (await info(ctx, name)).get(field)
  return after !== undefined && equals(after, value)
}

async function changeNote(ctx: FunctionContext, name: string, note: Note, value: string): Promise<boolean> {
  const user = await ctx.host.user(name)
  if (user === undefined) throw missing(name)
  const notes: Record<Note, string> = { ...notesOf(user), [note]: value }
  return change(ctx, name, note, value, [name, '-c', joined(notes)])
}

async function changeGroups(ctx: FunctionContext, name: string, groups: string[], append: boolean): Promise<boolean> {
  const held = await groupsOf(ctx, name)
  if (equals(new PySet(held), new PySet(groups))) return true
  return succeeds(ctx, ['pw', 'usermod', '-G', (append ? [...groups, ...held] : groups).join(','), '-n', name])
}

async function loginClass(ctx: FunctionContext, name: string): Promise<string> {
  const fields = (await ctx.call('cmd.run_stdout', [['pw', 'usershow', '-n', name]])).split(':')
  return fields.length === 10 ? (fields[4] ?? '') : ''
}

const name = arg.text('Name of the user')
const kwargs = arg.open('Options of other systems, which are ignored')

/** Declare `chuid` and the like, which set one option of pw. */
const attribute = (field: string, option: string, example: string) =>
  changes({
    doc: `Change ${field} of a user.`,
    args: { name, [field]: arg.any('New value, compared with the present one') },
    returns: ret.boolean('Whether the user has the value now'),
    example: `user.ch${field} foo ${example}`,
    run: (ctx, args) => {
      const { name, [field]: value = null } = args as unknown as Record<string, Value> & { name: string }
      return change(ctx, name, field, value, [option, value, '-n', name])
    },
  })

const notes = Object.fromEntries(
  NOTES.map((note) => [
    `ch${note}`,
    changes({
      doc: `Change a note about a user: ${note}.`,
      args: { name, [note]: arg.text('New value') },
      returns: ret.boolean('Whether the user has the value now'),
      example: `user.ch${note} foo 'Foo Bar'`,
      run: (ctx, args) => {
        const { name = '', [note]: value = '' } = args as unknown as Record<string, string>
        return changeNote(ctx, name, note, value)
      },
    }),
  ]),
)

const reading = {
  getent: reads({
    doc: 'Return the facts about all users.',
    args: { refresh: arg.boolean('Whether remembered facts are read again', { default: false }) },
    returns: ret.dicts('Facts about each user'),
    run: async (ctx, { refresh }) => {
      const known = ctx.memory.get('user.getent')
      if (known !== undefined && !refresh) return known as Dict[]
      const all: Dict[] = []
      for (const user of await ctx.host.users()) all.push(await info(ctx, user.name))
      ctx.memory.set('user.getent', all)
      return all
    },
  }),
  info: reads({
    doc: 'Return the facts about a user.',
    args: { name },
    returns: ret.dict('Facts; empty without such a user'),
    example: 'user.info root',
    run: (ctx, { name }) => info(ctx, name),
  }),
  get_loginclass: reads({
    doc: 'Return the login class of a user.',
    args: { name },
    returns: ret.string('Login class'),
    example: 'user.get_loginclass foo',
    run: (ctx, { name }) => loginClass(ctx, name),
  }),
  list_groups: reads({
    doc: 'Return the groups of a user.',
    args: { name },
    returns: ret.texts('Sorted names of the groups'),
    example: 'user.list_groups foo',
    run: (ctx, { name }) => groupsOf(ctx, name),
  }),
  list_users: reads({
    doc: 'Return all users.',
    returns: ret.texts('Sorted names of the users'),
    run: async (ctx) => (await ctx.host.users()).map(({ name }) => name).sort(),
  }),
}

export default defineModule({
  name: 'pw_user',
  virtual: 'user',
  doc: 'Manage users.',
  when: (ctx) =>
    kernelIs(ctx as FunctionContext, 'FreeBSD', 'DragonFly') ||
    'The pw_user execution module cannot be loaded: the pwd python module is not available or the system is not FreeBSD.',
  functions: {
    add: changes({
      doc: 'Create a user.',
      args: {
        name,
        uid: arg.any('User ID', { optional: true }),
        gid: arg.any('Primary group: a name or an ID', { optional: true }),
        groups: arg.words('Supplementary groups: a list, or a text with commas', { optional: true }),
        home: arg.text('Home directory', { optional: true }),
        shell: arg.text('Login shell', { optional: true }),
        unique: arg.any('Whether the user ID must be unique; a text counts if it is `true`', { default: true }),
        fullname: arg.text('Full name', { default: '' }),
        roomnumber: arg.text('Room number', { default: '' }),
        workphone: arg.text('Work phone number', { default: '' }),
        homephone: arg.text('Home phone number', { default: '' }),
        createhome: arg.any('True creates the home directory', { default: true }),
        loginclass: arg.text('Login class', { optional: true }),
        kwargs,
      },
      returns: ret.boolean('Whether the user was created'),
      example: 'user.add name <uid> <gid> <groups> <home> <shell>',
      run: (ctx, user) => {
        if (isTrue(user.kwargs.get('system') ?? false)) {
          ctx.log('warning', "pw_user module does not support the 'system' argument")
        }
        const when = (condition: boolean, ...words: Value[]): Value[] => (condition ? words : [])
        const groups = user.groups ?? []
        return succeeds(ctx, [
          ...['pw', 'useradd'],
          ...when(truthy(user.uid), '-u', user.uid),
          ...when(truthy(user.gid), '-g', user.gid),
          ...when(groups.length > 0, '-G', groups.join(',')),
          ...when(user.home !== null, '-d', user.home),
          ...when(user.createhome === true, '-m'),
          ...when(Boolean(user.loginclass), '-L', user.loginclass),
          ...when(Boolean(user.shell), '-s', user.shell),
          ...when(!isTrue(user.unique), '-o'),
          ...['-c', joined(user), '-n', user.name],
        ])
      },
    }),
    delete: changes({
      doc: 'Remove a user.',
      args: {
        name,
        remove: arg.boolean('Whether the home directory is removed too', { default: false }),
        force: arg.any('Not supported by pw; a text counts if it is `true`', { default: false }),
      },
      returns: ret.boolean('Whether the user was removed'),
      example: 'user.delete name remove=True',
      run: (ctx, { name, remove, force }) => {
        if (isTrue(force)) ctx.log('error', 'pw userdel does not support force-deleting user while user is logged in')
        return succeeds(ctx, ['pw', 'userdel', ...(remove ? ['-r'] : []), '-n', name])
      },
    }),
    ...reading,
    chuid: attribute('uid', '-u', '4376'),
    chgid: attribute('gid', '-g', '4376'),
    chshell: attribute('shell', '-s', '/bin/zsh'),
    chhome: changes({
      doc: 'Change the home directory of a user.',
      args: {
        name,
        home: arg.text('New home directory'),
        persist: arg.boolean('Whether the files are moved', { default: false }),
      },
      returns: ret.boolean('Whether the user has the value now'),
      example: 'user.chhome foo /home/users/foo True',
      run: (ctx, { name, home, persist }) =>
        change(ctx, name, 'home', home, [name, '-d', home, ...(persist ? ['-m'] : [])]),
    }),
    chgroups: changes({
      doc: 'Change the groups of a user.',
      args: {
        name,
        groups: arg.words('Groups: a list, or a text with commas'),
        append: arg.boolean('Whether the user stays in its other groups', { default: false }),
      },
      returns: ret.boolean('Whether the groups were changed'),
      example: 'user.chgroups foo wheel,root True',
      run: (ctx, { name, groups, append }) => changeGroups(ctx, name, groups, append),
    }),
    ...notes,
    chloginclass: changes({
      doc: 'Change the login class of a user.',
      args: { name, loginclass: arg.text('New login class'), root: arg.any('Ignored', { optional: true }) },
      returns: ret.boolean('Whether the user has the value now'),
      example: 'user.chloginclass foo staff',
      run: async (ctx, { name, loginclass }) => {
        if ((await loginClass(ctx, name)) === loginclass) return true
        await outputOf(ctx, ['pw', 'usermod', '-L', loginclass, '-n', name])
        return (await loginClass(ctx, name)) === loginclass
      },
    }),
    rename: changes({
      doc: 'Rename a user.',
      args: { name, new_name: arg.text('New name') },
      returns: ret.boolean('Whether the user has the new name'),
      example: 'user.rename name new_name',
      run: async (ctx, { name, new_name }) => {
        if ((await info(ctx, name)).size === 0) throw missing(name)
        if ((await info(ctx, new_name)).size > 0) {
          throw failure(`User '${new_name}' already exists`)
        }
        await outputOf(ctx, ['pw', 'usermod', '-l', new_name, '-n', name])
        return (await info(ctx, new_name)).get('name') === new_name
      },
    }),
  },
})
