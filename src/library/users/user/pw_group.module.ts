// Groups of FreeBSD and DragonFly, through the pw command.
import { contains, type Dict, dictFrom, equals, str, truthy, type Value } from '../../../data/mod.ts'
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
  type UserGroup,
} from '../../../sdk/mod.ts'

const infoOf = ({ name, passwd, gid, members }: UserGroup): Dict =>
  dictFrom({ name, passwd: passwd ?? '*', gid, members: [...members] })

async function info(ctx: FunctionContext, name: string): Promise<Dict> {
  const group = await ctx.host.group(name)
  return group === undefined ? new Map() : infoOf(group)
}

async function changeId(ctx: FunctionContext, name: string, gid: Value): Promise<boolean> {
  const before = await ctx.call('file.group_to_gid', [name])
  if (equals(before, gid)) return true
  await outputOf(ctx, `pw groupmod ${name} -g ${str(gid)}`)
  return equals(await ctx.call('file.group_to_gid', [name]), gid)
}

const name = arg.text('Name of the group')
const username = arg.text('Name of the user')
const kwargs = arg.open('Options of other systems, which are ignored')

export default defineModule({
  name: 'pw_group',
  virtual: 'group',
  doc: 'Manage groups.',
  when: ({ grains }) =>
    contains(['FreeBSD', 'DragonFly'], grains.get('kernel') ?? '') ||
    'The pw_group execution module cannot be loaded: system is not supported.',
  functions: {
    add: changes({
      doc: 'Create a group.',
      args: { name, gid: arg.any('Group ID', { optional: true }), kwargs },
      returns: ret.boolean('Whether the group was created'),
      example: 'group.add foo 3456',
      run: (ctx, { name, gid, kwargs }) => {
        if (isTrue(kwargs.get('system') ?? false)) {
          ctx.log('warning', "pw_group module does not support the 'system' argument")
        }
        return succeeds(ctx, `pw groupadd ${truthy(gid) ? `-g ${str(gid)} ` : ''} -n ${name}`)
      },
    }),
    delete: changes({
      doc: 'Remove a group.',
      args: { name },
      returns: ret.boolean('Whether the group was removed'),
      example: 'group.delete foo',
      run: (ctx, { name }) => succeeds(ctx, `pw groupdel ${name}`),
    }),
    info: reads({
      doc: 'Return the facts about a group.',
      args: { name },
      returns: ret.dict('Facts; empty without such a group'),
      example: 'group.info foo',
      run: (ctx, { name }) => info(ctx, name),
    }),
    getent: reads({
      doc: 'Return the facts about all groups.',
      args: { refresh: arg.boolean('Whether remembered facts are read again', { default: false }) },
      returns: ret.dicts('Facts about each group'),
      run: async (ctx, { refresh }) => {
        const known = ctx.memory.get('group.getent')
        if (known !== undefined && !refresh) return known as Dict[]
        const all = (await ctx.host.groups()).map(infoOf)
        ctx.memory.set('group.getent', all)
        return all
      },
    }),
    chgid: changes({
      doc: 'Change the ID of a group.',
      args: { name, gid: arg.any('New group ID, compared with the present one') },
      returns: ret.boolean('Whether the group has the ID now'),
      example: 'group.chgid foo 4376',
      run: (ctx, { name, gid }) => changeId(ctx, name, gid),
    }),
    adduser: changes({
      doc: 'Add a user to a group.',
      args: { name, username },
      returns: ret.boolean('Whether the command succeeded'),
      example: 'group.adduser foo bar',
      run: (ctx, { name, username }) => succeeds(ctx, `pw groupmod ${name} -m ${username}`),
    }),
    deluser: changes({
      doc: 'Remove a user from a group.',
      args: { name, username },
      returns: ret.boolean('Whether the user is not in the group'),
      example: 'group.deluser foo bar',
      run: async (ctx, { name, username }) => {
        const members = (await info(ctx, name)).get('members') ?? []
        return !contains(members, username) || succeeds(ctx, `pw groupmod ${name} -d ${username}`)
      },
    }),
    members: changes({
      doc: 'Set the members of a group.',
      args: { name, members_list: arg.text('Names of users, separated by commas') },
      returns: ret.boolean('Whether the command succeeded'),
      example: "group.members foo 'user1,user2,user3'",
      run: (ctx, { name, members_list }) => succeeds(ctx, `pw groupmod ${name} -M ${members_list}`),
    }),
  },
})
