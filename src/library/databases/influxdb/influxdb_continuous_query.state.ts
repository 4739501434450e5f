// Continuous queries of InfluxDB.
import { arg, defineState, state } from '../../../sdk/mod.ts'
import { made, removed } from './state/thing.ts'

const target = { name: arg.text('The name of the query'), database: arg.text('The database') }
const client_args = arg.open('How to connect: influxdb_host, influxdb_port, influxdb_user, influxdb_password')

export default defineState({
  name: 'influxdb_continuous_query',
  doc: 'Keep continuous queries of InfluxDB.',
  functions: {
    present: state({
      doc: 'A continuous query is there.',
      args: {
        ...target,
        query: arg.any('The query'),
        resample_time: arg.any('How often it runs', { optional: true }),
        coverage_period: arg.any('What time it covers', { optional: true }),
        client_args,
      },
      run: (ctx, { name, database, query, resample_time, coverage_period, client_args: at }) =>
        made(ctx, {
          name,
          subject: `continuous query ${name}`,
          exists: () => ctx.call('influxdb.continuous_query_exists', [database, name], at),
          create: () =>
            ctx.call('influxdb.create_continuous_query', [database, name, query, resample_time, coverage_period], at),
          foreseen: ` ${name} is absent and will be created`,
        }),
    }),
    absent: state({
      doc: 'A continuous query is not there.',
      args: { ...target, client_args },
      run: (ctx, { name, database, client_args: at }) =>
        removed(ctx, {
          name,
          subject: `continuous query ${name}`,
          exists: () => ctx.call('influxdb.continuous_query_exists', [database, name], at),
          remove: () => ctx.call('influxdb.drop_continuous_query', [database, name], at),
        }),
    }),
  },
})
