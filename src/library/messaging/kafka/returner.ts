// `kafka`: returns as messages of a topic of Kafka, by the program kcat.
import { decodeBytes, dumpJson, failure, isList, str, truthy } from '../../../data/mod.ts'
import { defineReturner } from '../../../sdk/mod.ts'

const SECONDS = 60

export default defineReturner({
  name: 'kafka_return',
  virtual: 'kafka',
  doc: 'Send returns to a topic of Kafka. Options `returner.kafka.bootstrap`, a list of servers, and `returner.kafka.topic`; the program kcat must be installed.',
  functions: {
    returner: async (ctx, ret) => {
      const servers = await ctx.call('config.option', ['returner.kafka.bootstrap'])
      const topic = await ctx.call('config.option', ['returner.kafka.topic'])
      if (!truthy(servers) || !truthy(topic)) {
        throw failure(`Unable to find kafka returner config option: ${truthy(servers) ? 'topic' : 'bootstrap'}`)
      }
      if (!(await ctx.host.which('kcat')))
        throw failure('The kafka returner needs the program kcat, which was not found')
      const list = isList(servers) ? servers.map(str).join(',') : str(servers)
      const argv = ['kcat', '-P', '-b', list, '-t', str(topic), '-D', '\\x00']
      const { retcode, stderr } = await ctx.host.run({ argv, stdin: dumpJson(ret), timeout: SECONDS })
      if (retcode !== 0) throw failure(`kcat ended with ${retcode}: ${decodeBytes(stderr).trim()}`)
    },
  },
})
