// Membership of a RabbitMQ node in a cluster.
import { str } from '../../../data/mod.ts'
import { arg, defineState, state } from '../../../sdk/mod.ts'
import { report, whenRabbit } from './state/report.ts'

const joined = state({
  doc: 'The node is in the cluster of another.',
  args: {
    name: arg.any('A name for the membership'),
    host: arg.text('The host of the other node'),
    user: arg.text('The first part of its name', { default: 'rabbit' }),
    ram_node: arg.any('Whether the node keeps nothing on disk', { optional: true }),
    runas: arg.text('The system user that the program runs as', { default: 'root' }),
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
