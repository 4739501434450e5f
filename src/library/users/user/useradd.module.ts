// Users, through useradd and its relatives.
import { type Dict, SaltError, str, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { addUser, deleteUser, type NewUser } from './useradd/adding.ts'
import { changeAttribute, changeGecos, changeGroups, changeLoginClass, loginClass } from './useradd/changing.ts'
import { GECOS, type GecosField, groupsOf, info, infoOf, kernelIs, usersOf } from './useradd/passwd.ts'

const name = arg.any('The user')
const root = arg.any('The directory that stands for /', { optional: true })
const optional = (doc: string) => arg.any(doc, { optional: true })
const off = (doc: string) => arg.any(doc, { default: false })

const GECOS_DOCS: Record<GecosField, string> = {
  fullname: 'Full name',
  roomnumber: 'Room number',
  workphone: 'Phone at work',
  homephone: 'Phone at home',
  other: 'Other remarks',
}

/** `chuid` and the like: one option of usermod. */
const attribute = (what: string, key: string, option: string, example: string) =>
  changes({
    doc: `Change ${what} of a user.`,
    args: { name, [key]: arg.any(`The new value`), root },
    returns: ret.boolean('Whether it is so now'),
    example: `user.ch${key} foo ${example}`,
    run: (ctx, args) => {
      const given = args as unknown as Record<string, Value>
      return changeAttribute(ctx, given['name']!, { key, option, root: given['root']! }, given[key]!)
    },
  })

const gecosFunctions = Object.fromEntries(
  GECOS.map((field) => [
    `ch${field}`,
    changes({
      doc: `Change what is noted about a user: ${GECOS_DOCS[field].toLowerCase()}.`,
      args: { name, [field]: arg.any(GECOS_DOCS[field]), root },
      returns: ret.boolean('Whether it is so now'),
      example: `user.ch${field} foo 'Foo Bar'`,
      run: (ctx, args) => {
        const given = args as unknown as Record<string, Value>
        return changeGecos(ctx, given['name']!, field, given[field]!, given['root']!)
      },
    }),
  ]),
)

async function getent(ctx: FunctionContext, refresh: boolean, root: Value): Promise<Dict[]> {
  const known = ctx.memory.get('user.getent')
  if (known !== undefined && !refresh) return known as Dict[]
  const all: Dict[] = []
  for (const user of await usersOf(ctx, root)) all.push(await infoOf(ctx, user))
  ctx.memory.set('user.getent', all)
  return all
}

async function rename(ctx: FunctionContext, name: Value, newName: Value, root: Value): Promise<boolean> {
  if ((await info(ctx, newName, root)).size > 0) {
    throw new SaltError('CommandExecutionError', `User '${str(newName)}' already exists`)
  }
  // the account is looked for under its old name afterwards, so that Salt's answer is false even when it worked
  return changeAttribute(ctx, name, { key: 'name', option: '-l', root }, newName)
}

const reading = {
  getent: reads({
    doc: 'What is known about all users.',
    args: { refresh: arg.boolean('Do not answer from memory', { default: false }), root },
    returns: ret.dicts('A dict for each'),
    example: 'user.getent',
    run: (ctx, { refresh, root }) => getent(ctx, refresh, root),
  }),
  info: reads({
    doc: 'What is known about a user.',
    args: { name, root },
    returns: ret.dict('An empty one when there is no such user'),
    example: 'user.info root',
    run: (ctx, { name, root }) => info(ctx, name, root),
  }),
  get_loginclass: reads({
    doc: 'The login class of a user, on OpenBSD.',
    args: { name },
    returns: ret.any('The class, or false elsewhere'),
    example: 'user.get_loginclass foo',
    run: (ctx, { name }) => loginClass(ctx, name),
  }),
  primary_group: reads({
    doc: 'The primary group of a user.',
    args: { name },
    returns: ret.string('Its name'),
    example: 'user.primary_group saltadmin',
    run: (ctx, { name }) => ctx.call('cmd.run', [['id', '-g', '-n', name]]),
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
    args: { root },
    returns: ret.texts('Their names'),
    example: 'user.list_users',
    run: async (ctx, { root }) => (await usersOf(ctx, root)).map(({ name }) => name).sort(),
  }),
}

export default defineModule({
  name: 'useradd',
  virtual: 'user',
  doc: 'Work with users.',
  when: (ctx) =>
    kernelIs(ctx as FunctionContext, 'Linux', 'OpenBSD', 'NetBSD', 'AIX') ||
    'useradd execution module not loaded: either pwd python library not available or system not one of Linux, OpenBSD, NetBSD or AIX',
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
        unique: arg.flag('Whether nobody else may have the number', { default: true }),
        system: arg.flag('Whether it is a system account', { default: false }),
        fullname: arg.any(GECOS_DOCS.fullname, { default: '' }),
        roomnumber: arg.any(GECOS_DOCS.roomnumber, { default: '' }),
        workphone: arg.any(GECOS_DOCS.workphone, { default: '' }),
        homephone: arg.any(GECOS_DOCS.homephone, { default: '' }),
        other: arg.any(GECOS_DOCS.other, { default: '' }),
        createhome: arg.flag('Whether the home directory is made', { default: true }),
        loginclass: optional('Its login class, on OpenBSD'),
        nologinit: off('Keep it out of the lastlog and faillog databases'),
        root,
        usergroup: optional('Whether it gets a group of its own name; the system decides when not given'),
        local: off('Use luseradd, which knows only local accounts'),
      },
      returns: ret.boolean('Whether the user was made'),
      example: 'user.add name <uid> <gid> <groups> <home> <shell>',
      run: (ctx, user) => addUser(ctx, user as NewUser),
    }),
    delete: changes({
      doc: 'Remove a user.',
      args: {
        name,
        remove: arg.flag('Remove home directory and mailbox too', { default: false }),
        force: arg.flag('Remove it even when it is logged in', { default: false }),
        root,
        local: arg.flag('Use luserdel, which knows only local accounts', { default: false }),
      },
      returns: ret.boolean('Whether it was removed'),
      example: 'user.delete name remove=True force=True',
      run: deleteUser,
    }),
    ...reading,
    chuid: attribute('the number', 'uid', '-u', '4376'),
    chgid: attribute('the primary group', 'gid', '-g', '4376'),
    chshell: attribute('the login shell', 'shell', '-s', '/bin/zsh'),
    chhome: changes({
      doc: 'Change the home directory of a user.',
      args: {
        name,
        home: arg.any('The new directory'),
        persist: arg.boolean('Move the files', { default: false }),
        root,
      },
      returns: ret.boolean('Whether it is so now'),
      example: 'user.chhome foo /home/users/foo True',
      run: (ctx, { name, home, persist, root }) =>
        changeAttribute(ctx, name, { key: 'home', option: '-d', root, move: persist }, home),
    }),
    chgroups: changes({
      doc: 'Change the groups of a user.',
      args: {
        name,
        groups: arg.any('A list, or names separated by commas'),
        append: arg.boolean('Keep the groups that are not named', { default: false }),
        root,
      },
      returns: ret.boolean('Whether it was done'),
      example: 'user.chgroups foo wheel,root append=True',
      run: (ctx, { name, groups, append, root }) => changeGroups(ctx, name, groups, append, root),
    }),
    ...gecosFunctions,
    chloginclass: changes({
      doc: 'Change the login class of a user, on OpenBSD.',
      args: { name, loginclass: arg.any('The new class'), root },
      returns: ret.boolean('Whether it is so now'),
      example: 'user.chloginclass foo staff',
      run: (ctx, { name, loginclass, root }) => changeLoginClass(ctx, name, loginclass, root),
    }),
    rename: changes({
      doc: 'Give a user another name.',
      args: { name, new_name: arg.any('The new name'), root },
      returns: ret.boolean('False, since it is gone under the old name'),
      example: 'user.rename name new_name',
      run: (ctx, { name, new_name, root }) => rename(ctx, name, new_name, root),
    }),
  },
})
