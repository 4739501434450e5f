// Databases of InfluxDB.
import { arg, defineState, state } from '../../../sdk/mod.ts'
import { absent, clientArgs, present } from './state/presence.ts'

const args = { name: arg.text('Name of the database'), client_args: clientArgs }

export default defineState({
  name: 'influxdb_database',
  doc: 'Manage databases of InfluxDB.',
  functions: {
    present: state({
      doc: 'Ensure that a database exists.',
      args,
      run: (ctx, { name, client_args: at }) =>
        present(ctx, {
          name,
          subject: `Database ${name}`,
          exists: () => ctx.call('influxdb.db_exists', [name], at),
          create: () => ctx.call('influxdb.create_db', [name], at),
          forecast: `Database ${name} is absent and will be created`,
        }),
    }),
    absent: state({
      doc: 'Ensure that a database does not exist.',
      args,
      run: (ctx, { name, client_args: at }) =>
        absent(ctx, {
          name,
          subject: `Database ${name}`,
          exists: () => ctx.call('influxdb.db_exists', [name], at),
          remove: () => ctx.call('influxdb.drop_db', [name], at),
        }),
    }),
  },
})
