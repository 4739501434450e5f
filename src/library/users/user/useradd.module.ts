// Users, through useradd and its relatives.
import { type Dict, failure, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { addUser, deleteUser } from './useradd/adding.ts'
import { changeAttribute, changeGecos, changeGroups, changeLoginClass, loginClass } from './useradd/changing.ts'
import { GECOS, type GecosField, groupsOf, info, infoOf, kernelIs, usersOf } from './useradd/passwd.ts'

const name = arg.text('Name of the user')
const root = arg.text('Directory of another root file system', { optional: true })

const GECOS_DOCS: Record<GecosField, string> = {
  fullname: 'Full name',
  roomnumber: 'Room number',
  workphone: 'Work phone number',
  homephone: 'Home phone number',
  other: 'Other notes',
}

/** The values that functions with a parameter of a computed name get. */
type Changed<T> = { name: string; root: string | null } & Record<string, T>

/** Declare `chuid` and the like, which set one option of usermod. */
const attribute = (what: string, key: string, option: string, example: string) =>
  changes({
    doc: `Change ${what} of a user.`,
    args: { name, [key]: arg.any('New value, compared with the present one'), root },
    returns: ret.boolean('Whether the user has the value now'),
    example: `user.ch${key} foo ${example}`,
    run: (ctx, args) => {
      const { name, root, [key]: value = null } = args as unknown as Changed<Value>
      return changeAttribute(ctx, name, { key, option, root }, value)
    },
  })

const gecosFunctions = Object.fromEntries(
  GECOS.map((field) => [
    `ch${field}`,
    changes({
      doc: `Change a note about a user: ${GECOS_DOCS[field].toLowerCase()}.`,
      args: { name, [field]: arg.text(GECOS_DOCS[field]), root },
      returns: ret.boolean('Whether the user has the value now'),
      example: `user.ch${field} foo 'Foo Bar'`,
      run: (ctx, args) => {
        const { name, root, [field]: value = '' } = args as unknown as Changed<string>
        return changeGecos(ctx, name, field, value, root)
      },
    }),
  ]),
)

async function getent(ctx: FunctionContext, refresh: boolean, root: string | null): Promise<Dict[]> {
  const known = ctx.memory.get('user.getent')
  if (known !== undefined && !refresh) return known as Dict[]
  const all: Dict[] = []
  for (const user of await usersOf(ctx, root)) all.push(await infoOf(ctx, user))
  ctx.memory.set('user.getent', all)
  return all
}

async function rename(ctx: FunctionContext, name: string, newName: string, root: string | null): Promise<boolean> {
  if ((await info(ctx, newName, root)).size > 0) {
    throw failure(`User '${newName}' already exists`)
  }
  // Salt then looks for the old name, so its answer is False even after a success
  return changeAttribute(ctx, name, { key: 'name', option: '-l', root }, newName)
}

const reading = {
  getent: reads({
    doc: 'Return the facts about all users.',
    args: { refresh: arg.boolean('Whether remembered facts are read again', { default: false }), root },
    returns: ret.dicts('Facts about each user'),
    run: (ctx, { refresh, root }) => getent(ctx, refresh, root),
  }),
  info: reads({
    doc: 'Return the facts about a user.',
    args: { name, root },
    returns: ret.dict('Facts; empty without such a user'),
    example: 'user.info root',
    run: (ctx, { name, root }) => info(ctx, name, root),
  }),
  get_loginclass: reads({
    doc: 'Return the login class of a user, on OpenBSD.',
    args: { name },
    returns: ret.any('Login class; False on other systems'),
    example: 'user.get_loginclass foo',
    run: (ctx, { name }) => loginClass(ctx, name),
  }),
  primary_group: reads({
    doc: 'Return the primary group of a user.',
    args: { name },
    returns: ret.string('Name of the group'),
    example: 'user.primary_group saltadmin',
    run: (ctx, { name }) => ctx.call('cmd.run', [['id', '-g', '-n', name]]),
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
    args: { root },
    returns: ret.texts('Sorted names of the users'),
    run: async (ctx, { root }) => (await usersOf(ctx, root)).map(({ name }) => name).sort(),
  }),
}

export default defineModule({
  name: 'useradd',
  virtual: 'user',
  doc: 'Manage users.',
  when: (ctx) =>
    kernelIs(ctx as FunctionContext, 'Linux', 'OpenBSD', 'NetBSD', 'AIX') ||
    'useradd execution module not loaded: either pwd python library not available or system not one of Linux, OpenBSD, NetBSD or AIX',
  functions: {
    add: changes({
      doc: 'Create a user.',
      args: {
        name,
        uid: arg.any('User ID', { optional: true }),
        gid: arg.any('Primary group: a name or an ID', { optional: true }),
        groups: arg.any('Supplementary groups: a list, or a text with commas', { optional: true }),
        home: arg.text('Home directory', { optional: true }),
        shell: arg.text('Login shell', { optional: true }),
        unique: arg.flag('Whether the user ID must be unique', { default: true }),
        system: arg.flag('Whether it is a system user', { default: false }),
        fullname: arg.text(GECOS_DOCS.fullname, { default: '' }),
        roomnumber: arg.text(GECOS_DOCS.roomnumber, { default: '' }),
        workphone: arg.text(GECOS_DOCS.workphone, { default: '' }),
        homephone: arg.text(GECOS_DOCS.homephone, { default: '' }),
        other: arg.text(GECOS_DOCS.other, { default: '' }),
        createhome: arg.flag('Whether the home directory is created', { default: true }),
        loginclass: arg.text('Login class, on OpenBSD', { optional: true }),
        nologinit: arg.flag('Whether the user stays out of the lastlog and faillog databases', { default: false }),
        root,
        usergroup: arg.flag('Whether a group of the same name is created. Default: the system decides', {
          optional: true,
        }),
        local: arg.flag('Whether luseradd is used, which sees only local users', { default: false }),
      },
      returns: ret.boolean('Whether the user was created'),
      example: 'user.add name <uid> <gid> <groups> <home> <shell>',
      run: addUser,
    }),
    delete: changes({
      doc: 'Remove a user.',
      args: {
        name,
        remove: arg.flag('Whether home directory and mailbox are removed too', { default: false }),
        force: arg.flag('Whether a user who is logged in is removed too', { default: false }),
        root,
        local: arg.flag('Whether luserdel is used, which sees only local users', { default: false }),
      },
      returns: ret.boolean('Whether the user was removed'),
      example: 'user.delete name remove=True force=True',
      run: deleteUser,
    }),
    ...reading,
    chuid: attribute('the user ID', 'uid', '-u', '4376'),
    chgid: attribute('the primary group', 'gid', '-g', '4376'),
    chshell: attribute('the login shell', 'shell', '-s', '/bin/zsh'),
    chhome: changes({
      doc: 'Change the home directory of a user.',
      args: {
        name,
        home: arg.text('New home directory'),
        persist: arg.boolean('Whether the files are moved', { default: false }),
        root,
      },
      returns: ret.boolean('Whether the user has the value now'),
      example: 'user.chhome foo /home/users/foo True',
      run: (ctx, { name, home, persist, root }) =>
        changeAttribute(ctx, name, { key: 'home', option: '-d', root, move: persist }, home),
    }),
    chgroups: changes({
      doc: 'Change the groups of a user.',
      args: {
        name,
        groups: arg.any('Groups: a list, or a text with commas'),
        append: arg.boolean('Whether the user stays in its other groups', { default: false }),
        root,
      },
      returns: ret.boolean('Whether the groups were changed'),
      example: 'user.chgroups foo wheel,root append=True',
      run: (ctx, { name, groups, append, root }) => changeGroups(ctx, name, groups, append, root),
    }),
    ...gecosFunctions,
    chloginclass: changes({
      doc: 'Change the login class of a user, on OpenBSD.',
      args: { name, loginclass: arg.text('New login class'), root },
      returns: ret.boolean('Whether the user has the value now'),
      example: 'user.chloginclass foo staff',
      run: (ctx, { name, loginclass, root }) => changeLoginClass(ctx, name, loginclass, root),
    }),
    rename: changes({
      doc: 'Rename a user.',
      args: { name, new_name: arg.text('New name'), root },
      returns: ret.boolean('False, as in Salt, which looks for the old name'),
      example: 'user.rename name new_name',
      run: (ctx, { name, new_name, root }) => rename(ctx, name, new_name, root),
    }),
  },
})
