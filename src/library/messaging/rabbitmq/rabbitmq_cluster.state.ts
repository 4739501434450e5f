// Membership of a RabbitMQ node in a cluster.
import { str } from '../../../data/mod.ts'
import { arg, defineState, state } from '../../../sdk/mod.ts'
import { report, whenRabbit } from './state/report.ts'

const joined = state({
  doc: 'Ensure that the node is in the cluster of another node.',
  args: {
    name: arg.text('Label of the membership'),
    host: arg.text('Host of the other node'),
    user: arg.text('First part of the name of that node', { default: 'rabbit' }),
    ram_node: arg.flag('Whether the node keeps its data in memory only', { optional: true }),
    runas: arg.text('System user that runs the program', { default: 'root' }),
  },
  run: async (ctx, { name, host, user, ram_node, runas }) => {
    const node = `${user}@${host}`
    if (str(await ctx.call('rabbitmq.cluster_status')).includes(node)) return report(name, true, 'Already in cluster')
    const changes = { old: '', new: node }
    if (ctx.test) return report(name, null, `Node is set to join cluster ${node}`, changes)
    const answer = await ctx.call('rabbitmq.join_cluster', [host, user, ram_node], { runas })
    return report(name, true, str(answer.get('Join') ?? ''), changes)
  },
})

export default defineState({
  name: 'rabbitmq_cluster',
  doc: 'Join clusters of RabbitMQ.',
  when: whenRabbit,
  functions: { joined, join: joined },
})
