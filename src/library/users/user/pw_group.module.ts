// Groups of FreeBSD and DragonFly, through the pw command.
import { contains, type Dict, equals, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  defineModule,
  type FunctionContext,
  fn,
  isTrue,
  outputOf,
  ret,
  succeeds,
  type UserGroup,
} from '../../../sdk/mod.ts'

const told = ({ name, passwd, gid, members }: UserGroup): Dict =>
  new Map<Value, Value>([
    ['name', name],
    ['passwd', passwd ?? '*'],
    ['gid', gid],
    ['members', [...members]],
  ])

async function info(ctx: FunctionContext, name: Value): Promise<Dict> {
  const group = await ctx.host.group(str(name))
  return group === undefined ? new Map() : told(group)
}

async function changeId(ctx: FunctionContext, name: Value, gid: Value): Promise<boolean> {
  const before = await ctx.call('file.group_to_gid', [name])
  if (equals(before, gid)) return true
  await outputOf(ctx, `pw groupmod ${str(name)} -g ${str(gid)}`)
  return equals(await ctx.call('file.group_to_gid', [name]), gid)
}

const name = arg.any('The group')
const username = arg.any('The user')
const kwargs = arg.open('Options of other systems, which are ignored')

export default defineModule({
  name: 'pw_group',
  virtual: 'group',
  doc: 'Work with groups.',
  when: ({ grains }) =>
    contains(['FreeBSD', 'DragonFly'], grains.get('kernel') ?? '') ||
    'The pw_group execution module cannot be loaded: system is not supported.',
  functions: {
    add: fn({
      doc: 'Make a group.',
      args: { name, gid: arg.any('Its number', { optional: true }), kwargs },
      returns: ret.boolean('Whether it was made'),
      examples: ["salt '*' group.add foo 3456"],
      effect: 'change',
      run: (ctx, { name, gid, kwargs }) => {
        if (isTrue(kwargs.get('system') ?? false)) {
          ctx.log('warning', "pw_group module does not support the 'system' argument")
        }
        return succeeds(ctx, `pw groupadd ${truthy(gid) ? `-g ${str(gid)} ` : ''} -n ${str(name)}`)
      },
    }),
    delete: fn({
      doc: 'Remove a group.',
      args: { name },
      returns: ret.boolean('Whether it was removed'),
      examples: ["salt '*' group.delete foo"],
      effect: 'change',
      run: (ctx, { name }) => succeeds(ctx, `pw groupdel ${str(name)}`),
    }),
    info: fn({
      doc: 'What is known about a group.',
      args: { name },
      returns: ret.dict('An empty one when there is no such group'),
      examples: ["salt '*' group.info foo"],
      effect: 'read',
      run: (ctx, { name }) => info(ctx, name),
    }),
    getent: fn({
      doc: 'What is known about all groups.',
      args: { refresh: arg.boolean('Do not answer from memory', { default: false }) },
      returns: ret.list('A dict for each'),
      examples: ["salt '*' group.getent"],
      effect: 'read',
      run: async (ctx, { refresh }) => {
        const known = ctx.memory.get('group.getent')
        if (known !== undefined && !refresh) return known
        const all = (await ctx.host.groups()).map(told)
        ctx.memory.set('group.getent', all)
        return all
      },
    }),
    chgid: fn({
      doc: 'Change the number of a group.',
      args: { name, gid: arg.any('The new number') },
      returns: ret.boolean('Whether it is so now'),
      examples: ["salt '*' group.chgid foo 4376"],
      effect: 'change',
      run: (ctx, { name, gid }) => changeId(ctx, name, gid),
    }),
    adduser: fn({
      doc: 'Put a user into a group.',
      args: { name, username },
      returns: ret.boolean('Whether it was done'),
      examples: ["salt '*' group.adduser foo bar"],
      effect: 'change',
      run: (ctx, { name, username }) => succeeds(ctx, `pw groupmod ${str(name)} -m ${str(username)}`),
    }),
    deluser: fn({
      doc: 'Take a user out of a group.',
      args: { name, username },
      returns: ret.boolean('Whether the user is not in it now'),
      examples: ["salt '*' group.deluser foo bar"],
      effect: 'change',
      run: async (ctx, { name, username }) => {
        const members = (await info(ctx, name)).get('members') ?? []
        return !contains(members, username) || succeeds(ctx, `pw groupmod ${str(name)} -d ${str(username)}`)
      },
    }),
    members: fn({
      doc: 'Give a group these members and no others.',
      args: { name, members_list: arg.any('Names separated by commas') },
      returns: ret.boolean('Whether it was done'),
      examples: ["salt '*' group.members foo 'user1,user2,user3'"],
      effect: 'change',
      run: (ctx, { name, members_list }) => succeeds(ctx, `pw groupmod ${str(name)} -M ${str(members_list)}`),
    }),
  },
})
