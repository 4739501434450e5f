// Groups of FreeBSD and DragonFly, through the pw command.
import { contains, type Dict, equals, str, truthy, type Value } from '../../../data/mod.ts'
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

const told = ({ name, passwd, gid, members }: UserGroup): Dict =>
  new Map<Value, Value>([
    ['name', name],
    ['passwd', passwd ?? '*'],
    ['gid', gid],
    ['members', [...members]],
  ])

async function info(ctx: FunctionContext, name: string): Promise<Dict> {
  const group = await ctx.host.group(name)
  return group === undefined ? new Map() : told(group)
}

async function changeId(ctx: FunctionContext, name: string, gid: Value): Promise<boolean> {
  const before = await ctx.call('file.group_to_gid', [name])
  if (equals(before, gid)) return true
  await outputOf(ctx, `pw groupmod ${name} -g ${str(gid)}`)
  return equals(await ctx.call('file.group_to_gid', [name]), gid)
}

const name = arg.text('The group')
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
    add: changes({
      doc: 'Make a group.',
      args: { name, gid: arg.any('Its number', { optional: true }), kwargs },
      returns: ret.boolean('Whether it was made'),
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
      returns: ret.boolean('Whether it was removed'),
      example: 'group.delete foo',
      run: (ctx, { name }) => succeeds(ctx, `pw groupdel ${name}`),
    }),
    info: reads({
      doc: 'What is known about a group.',
      args: { name },
      returns: ret.dict('An empty one when there is no such group'),
      example: 'group.info foo',
      run: (ctx, { name }) => info(ctx, name),
    }),
    getent: reads({
      doc: 'What is known about all groups.',
      args: { refresh: arg.boolean('Do not answer from memory', { default: false }) },
      returns: ret.dicts('A dict for each'),
      example: 'group.getent',
      run: async (ctx, { refresh }) => {
        const known = ctx.memory.get('group.getent')
        if (known !== undefined && !refresh) return known as Dict[]
        const all = (await ctx.host.groups()).map(told)
        ctx.memory.set('group.getent', all)
        return all
      },
    }),
    chgid: changes({
      doc: 'Change the number of a group.',
      args: { name, gid: arg.any('The new number') },
      returns: ret.boolean('Whether it is so now'),
      example: 'group.chgid foo 4376',
      run: (ctx, { name, gid }) => changeId(ctx, name, gid),
    }),
    adduser: changes({
      doc: 'Put a user into a group.',
      args: { name, username },
      returns: ret.boolean('Whether it was done'),
      example: 'group.adduser foo bar',
      run: (ctx, { name, username }) => succeeds(ctx, `pw groupmod ${name} -m ${str(username)}`),
    }),
    deluser: changes({
      doc: 'Take a user out of a group.',
      args: { name, username },
      returns: ret.boolean('Whether the user is not in it now'),
      example: 'group.deluser foo bar',
      run: async (ctx, { name, username }) => {
        const members = (await info(ctx, name)).get('members') ?? []
        return !contains(members, username) || succeeds(ctx, `pw groupmod ${name} -d ${str(username)}`)
      },
    }),
    members: changes({
      doc: 'Give a group these members and no others.',
      args: { name, members_list: arg.text('Names separated by commas') },
      returns: ret.boolean('Whether it was done'),
      example: "group.members foo 'user1,user2,user3'",
      run: (ctx, { name, members_list }) => succeeds(ctx, `pw groupmod ${name} -M ${members_list}`),
    }),
  },
})
