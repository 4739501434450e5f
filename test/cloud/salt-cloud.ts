// salt-cloud with the driver of the tests, for tests that end it.
import { saltCloud } from '../../src/cli/cloud/main.ts'
import { processStreams } from '../../src/cli/streams.ts'

const drivers = { disk: () => import('./disk-driver.ts') }
saltCloud(process.argv.slice(2), processStreams, { drivers }).then((status) => {
  process.exitCode = status
})
