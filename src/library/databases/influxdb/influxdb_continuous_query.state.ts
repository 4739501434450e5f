// Continuous queries of InfluxDB.
import { arg, defineState, state } from '../../../sdk/mod.ts'
import { absent, clientArgs, present } from './state/presence.ts'

const target = { name: arg.text('Name of the continuous query'), database: arg.text('Name of the database') }

export default defineState({
  name: 'influxdb_continuous_query',
  doc: 'Manage continuous queries of InfluxDB.',
  functions: {
    present: state({
      doc: 'Ensure that a continuous query exists.',
      args: {
        ...target,
        query: arg.text('Query'),
        resample_time: arg.text('Interval between runs, such as 1h', { optional: true }),
        coverage_period: arg.text('Period that a run covers, such as 2h', { optional: true }),
        client_args: clientArgs,
      },
      run: (ctx, { name, database, query, resample_time, coverage_period, client_args: at }) =>
        present(ctx, {
          name,
          subject: `continuous query ${name}`,
          exists: () => ctx.call('influxdb.continuous_query_exists', [database, name], at),
          create: () =>
            ctx.call('influxdb.create_continuous_query', [database, name, query, resample_time, coverage_period], at),
          forecast: ` ${name} is absent and will be created`,
        }),
    }),
    absent: state({
      doc: 'Ensure that a continuous query does not exist.',
      args: { ...target, client_args: clientArgs },
      run: (ctx, { name, database, client_args: at }) =>
        absent(ctx, {
          name,
          subject: `continuous query ${name}`,
          exists: () => ctx.call('influxdb.continuous_query_exists', [database, name], at),
          remove: () => ctx.call('influxdb.drop_continuous_query', [database, name], at),
        }),
    }),
  },
})
