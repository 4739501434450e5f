// Parameters that the mongodb states share, and when the states can be applied.
import { arg, type StateDeclaration } from '../../../../sdk/mod.ts'

export const login = {
  user: {
    user: arg.text('User that logs in', { optional: true }),
    password: arg.text('Password of that user', { optional: true, secret: true }),
  },
  server: {
    host: arg.text('Host of the server', { optional: true }),
    port: arg.text('Port of the server', { optional: true }),
  },
  authdb: arg.text('Database that authenticates the user', { optional: true }),
}

export const whenMongo: NonNullable<StateDeclaration['when']> = async ({ host }) =>
  (await host.which('mongosh')) !== undefined ||
  (await host.which('mongo')) !== undefined ||
  'mongodb module could not be loaded'
