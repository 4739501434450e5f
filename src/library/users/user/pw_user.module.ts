// Users of FreeBSD and DragonFly, through the pw command.
import { type Dict, equals, PySet, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
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

/** The comment field by its parts; the last one takes further commas. */
function notesOf({ gecos }: User): Record<Note, string> {
  const parts = gecos.split(',')
  const [fullname = '', roomnumber = '', workphone = ''] = parts
  return { fullname, roomnumber, workphone, homephone: parts.slice(3).join(',') }
}

const joined = (notes: Readonly<Record<Note, Value>>): string => NOTES.map((note) => str(notes[note])).join(',')

async function info(ctx: FunctionContext, name: Value): Promise<Dict> {
  const user = await ctx.host.user(str(name))
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

const missing = (name: Value): SaltError => new SaltError('CommandExecutionError', `User '${str(name)}' does not exist`)

/** Changes one field, unless it is so already; the account tells whether it worked. */
async function change(
  ctx: FunctionContext,
  name: Value,
  field: string,
  value: Value,
  words: Value[],
): Promise<boolean> {
  const before = await info(ctx, name)
  if (before.size === 0) throw missing(name)
  if (equals(before.get(field)!, value)) return true
  await outputOf(ctx, ['pw', 'usermod', ...words])
  const after = (await info(ctx, name)).get(field)
  return after !== undefined && equals(after, value)
}

async function changeNote(ctx: FunctionContext, name: Value, note: Note, value: Value): Promise<boolean> {
  const user = await ctx.host.user(str(name))
  if (user === undefined) throw missing(name)
  const notes: Record<Note, string> = { ...notesOf(user), [note]: str(value) }
  return change(ctx, name, note, str(value), [name, '-c', joined(notes)])
}

async function changeGroups(ctx: FunctionContext, name: Value, given: Value, append: boolean): Promise<boolean> {
  const groups = (typeof given === 'string' ? given.split(',') : (given as Value[])).map((group) => str(group))
  const held = await groupsOf(ctx, name)
  if (equals(new PySet(held), new PySet(groups))) return true
  return succeeds(ctx, ['pw', 'usermod', '-G', (append ? [...groups, ...held] : groups).join(','), '-n', name])
}

async function loginClass(ctx: FunctionContext, name: Value): Promise<string> {
  const fields = (await ctx.call('cmd.run_stdout', [['pw', 'usershow', '-n', name]])).split(':')
  return fields.length === 10 ? fields[4]! : ''
}

const name = arg.any('The user')
const optional = (doc: string) => arg.any(doc, { optional: true })
const kwargs = arg.open('Options of other systems, which are ignored')

/** `chuid` and the like: one option of pw. */
const attribute = (field: string, option: string, example: string) =>
  changes({
    doc: `Change ${field} of a user.`,
    args: { name, [field]: arg.any('The new value') },
    returns: ret.boolean('Whether it is so now'),
    example: `user.ch${field} foo ${example}`,
    run: (ctx, args) => {
      const given = args as unknown as Record<string, Value>
      return change(ctx, given['name']!, field, given[field]!, [option, given[field]!, '-n', given['name']!])
    },
  })

const notes = Object.fromEntries(
  NOTES.map((note) => [
    `ch${note}`,
    changes({
      doc: `Change what is noted about a user: ${note}.`,
      args: { name, [note]: arg.any('The new value') },
      returns: ret.boolean('Whether it is so now'),
      example: `user.ch${note} foo 'Foo Bar'`,
      run: (ctx, args) => {
        const given = args as unknown as Record<string, Value>
        return changeNote(ctx, given['name']!, note, given[note]!)
      },
    }),
  ]),
)

const reading = {
  getent: reads({
    doc: 'What is known about all users.',
    args: { refresh: arg.boolean('Do not answer from memory', { default: false }) },
    returns: ret.dicts('A dict for each'),
    example: 'user.getent',
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
    doc: 'What is known about a user.',
    args: { name },
    returns: ret.dict('An empty one when there is no such user'),
    example: 'user.info root',
    run: (ctx, { name }) => info(ctx, name),
  }),
  get_loginclass: reads({
    doc: 'The login class of a user.',
    args: { name },
    returns: ret.string('The class'),
    example: 'user.get_loginclass foo',
    run: (ctx, { name }) => loginClass(ctx, name),
  }),
  list_groups: reads({
    doc: 'The groups a user is in.',
    args: { name },
    returns: ret.texts('Their names'),
    example: 'user.list_groups foo',
    run: (ctx, { name }) => groupsOf(ctx, name),
  }),
  list_users: reads({
    doc: 'All users.',
    args: {},
    returns: ret.texts('Their names'),
    example: 'user.list_users',
    run: async (ctx) => (await ctx.host.users()).map(({ name }) => name).sort(),
  }),
}

export default defineModule({
  name: 'pw_user',
  virtual: 'user',
  doc: 'Work with users.',
  when: (ctx) =>
    kernelIs(ctx as FunctionContext, 'FreeBSD', 'DragonFly') ||
    'The pw_user execution module cannot be loaded: the pwd python module is not available or the system is not FreeBSD.',
  functions: {
    add: changes({
      doc: 'Make a user.',
      args: {
        name,
        uid: optional('Its number'),
        gid: optional('Its primary group: a name or a number'),
        groups: optional('Further groups'),
        home: optional('Its home directory'),
        shell: optional('Its login shell'),
        unique: arg.any('Whether nobody else may have the number', { default: true }),
        fullname: arg.any('Full name', { default: '' }),
        roomnumber: arg.any('Room number', { default: '' }),
        workphone: arg.any('Phone at work', { default: '' }),
        homephone: arg.any('Phone at home', { default: '' }),
        createhome: arg.any('Whether the home directory is made', { default: true }),
        loginclass: optional('Its login class'),
        kwargs,
      },
      returns: ret.boolean('Whether the user was made'),
      example: 'user.add name <uid> <gid> <groups> <home> <shell>',
      run: (ctx, user) => {
        if (isTrue(user.kwargs.get('system') ?? false)) {
          ctx.log('warning', "pw_user module does not support the 'system' argument")
        }
        const when = (condition: boolean, ...words: Value[]): Value[] => (condition ? words : [])
        const groups = typeof user.groups === 'string' ? user.groups.split(',') : ((user.groups ?? []) as Value[])
        return succeeds(ctx, [
          ...['pw', 'useradd'],
          ...when(truthy(user.uid), '-u', user.uid),
          ...when(truthy(user.gid), '-g', user.gid),
          ...when(groups.length > 0, '-G', groups.map((group) => str(group)).join(',')),
          ...when(user.home !== null, '-d', user.home),
          ...when(user.createhome === true, '-m'),
          ...when(truthy(user.loginclass), '-L', user.loginclass),
          ...when(truthy(user.shell), '-s', user.shell),
          ...when(!isTrue(user.unique), '-o'),
          ...['-c', joined(user), '-n', user.name],
        ])
      },
    }),
    delete: changes({
      doc: 'Remove a user.',
      args: {
        name,
        remove: arg.boolean('Remove the home directory too', { default: false }),
        force: arg.any('Not supported by pw', { default: false }),
      },
      returns: ret.boolean('Whether it was removed'),
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
      args: { name, home: arg.any('The new directory'), persist: arg.boolean('Move the files', { default: false }) },
      returns: ret.boolean('Whether it is so now'),
      example: 'user.chhome foo /home/users/foo True',
      run: (ctx, { name, home, persist }) =>
        change(ctx, name, 'home', home, [name, '-d', home, ...(persist ? ['-m'] : [])]),
    }),
    chgroups: changes({
      doc: 'Change the groups of a user.',
      args: {
        name,
        groups: arg.any('A list, or names separated by commas'),
        append: arg.boolean('Keep the groups that are not named', { default: false }),
      },
      returns: ret.boolean('Whether it was done'),
      example: 'user.chgroups foo wheel,root True',
      run: (ctx, { name, groups, append }) => changeGroups(ctx, name, groups, append),
    }),
    ...notes,
    chloginclass: changes({
      doc: 'Change the login class of a user.',
      args: { name, loginclass: arg.any('The new class'), root: optional('Ignored') },
      returns: ret.boolean('Whether it is so now'),
      example: 'user.chloginclass foo staff',
      run: async (ctx, { name, loginclass }) => {
        if ((await loginClass(ctx, name)) === loginclass) return true
        await outputOf(ctx, ['pw', 'usermod', '-L', str(loginclass), '-n', str(name)])
        return (await loginClass(ctx, name)) === loginclass
      },
    }),
    rename: changes({
      doc: 'Give a user another name.',
      args: { name, new_name: arg.any('The new name') },
      returns: ret.boolean('Whether it has it'),
      example: 'user.rename name new_name',
      run: async (ctx, { name, new_name }) => {
        if ((await info(ctx, name)).size === 0) throw missing(name)
        if ((await info(ctx, new_name)).size > 0) {
          throw new SaltError('CommandExecutionError', `User '${str(new_name)}' already exists`)
        }
        await outputOf(ctx, ['pw', 'usermod', '-l', new_name, '-n', name])
        return (await info(ctx, new_name)).get('name') === new_name
      },
    }),
  },
})
