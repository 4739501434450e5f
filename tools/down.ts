// `npm run down`: stops the daemons of `npm run up`. Their files stay below .brine/ until the next start.
import { join } from 'node:path'
import { stopAll } from './up/daemons.ts'
import { siteOf } from './up/site.ts'

const stopped = await stopAll(siteOf(join(import.meta.dirname, '..'), 0))
process.stdout.write(stopped.length > 0 ? `Stopped: ${stopped.join(', ')}\n` : 'Nothing is running\n')
