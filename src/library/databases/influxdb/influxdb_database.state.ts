// Databases of InfluxDB.
import { str } from '../../../data/mod.ts'
import { arg, defineState, state } from '../../../sdk/mod.ts'
import { made, removed } from './state/thing.ts'

const args = {
  name: arg.any('The name of the database'),
  client_args: arg.open('How to connect: influxdb_host, influxdb_port, influxdb_user, influxdb_password'),
}

export default defineState({
  name: 'influxdb_database',
  doc: 'Keep databases of InfluxDB.',
  functions: {
    present: state({
      doc: 'A database is there.',
      args,
      run: (ctx, { name, client_args: at }) =>
        made(ctx, {
          name,
          subject: `Database ${str(name)}`,
          exists: () => ctx.call('influxdb.db_exists', [name], at),
          create: () => ctx.call('influxdb.create_db', [name], at),
          foreseen: `Database ${str(name)} is absent and will be created`,
        }),
    }),
    absent: state({
      doc: 'A database is not there.',
      args,
      run: (ctx, { name, client_args: at }) =>
        removed(ctx, {
          name,
          subject: `Database ${str(name)}`,
          exists: () => ctx.call('influxdb.db_exists', [name], at),
          remove: () => ctx.call('influxdb.drop_db', [name], at),
        }),
    }),
  },
})
