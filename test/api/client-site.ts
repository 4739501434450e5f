// A master with minions and the REST API on loopback, for tests of clients of that API. The programs are the built ones, or with
// `API_OF=salt` those of the checkout of Salt that SALT_TREE names, which proves the tests themselves.
import { ours, realSalt } from '../live/programs.ts'
import type { Json, Scenario } from '../live/scenario.ts'
import { Stage } from '../live/stage.ts'
import { PATIENCE_SECONDS, until } from '../until.ts'

/** Whether the tests run against real Salt. */
const IS_SALT = process.env['API_OF'] === 'salt'

const ADMIN = ['.*', '@runner', '@wheel', '@jobs']

export interface ClientSiteOptions {
  /** Minions whose keys are accepted, with their options. */
  minions: { [id: string]: { [option: string]: Json } }
  /** Minions whose keys wait. */
  waiting?: string[]
  /** Options of `rest_cherrypy`. */
  api?: { [option: string]: Json }
  master?: { [option: string]: Json }
  files?: { [path: string]: string }
}

export class ClientSite {
  readonly stage: Stage
  private readonly options: ClientSiteOptions

  constructor(options: ClientSiteOptions) {
    this.options = options
    const { minions, waiting = [], api = {}, master = {}, files = {} } = options
    const all = [...Object.entries(minions), ...waiting.map((id) => [id, {}] as const)]
    const scenario: Scenario = {
      scenario: 'api',
      description: '',
      setup: {
        master: {
          timeout: 10,
          gather_job_timeout: 8,
          external_auth: {
            file: { '^filename': '<ROOT>/users.txt', admin: ADMIN, ops: ['test.*', 'grains.item'] },
          },
          netapi_enable_clients: [
            'local',
            'local_async',
            'local_batch',
            'local_subset',
            'runner',
            'runner_async',
            'wheel',
            'wheel_async',
          ],
          rest_cherrypy: { port: 0, host: '127.0.0.1', disable_ssl: true, ...api },
          ...master,
        },
        minions: Object.fromEntries(all.map(([id, config]) => [id, { config }])),
        files: { 'users.txt': 'admin:adminpw\nops:opspw\n', ...files },
      },
      steps: [],
      events: [],
    }
    this.stage = new Stage(scenario, IS_SALT ? realSalt() : ours)
  }

  async open(): Promise<void> {
    await this.stage.open()
    const ids = Object.keys(this.options.minions)
    for (const id of ids) await this.run(`salt-key -y -a ${id}`)
    for (const id of ids) await this.starts(id)
  }

  get url(): string {
    return `http://127.0.0.1:${this.stage.cluster.apiPort}`
  }

  /** Wait until a minion has reported its start. */
  async starts(id: string): Promise<void> {
    if (!(await this.stage.hears(`salt/minion/${id}/start`, '', PATIENCE_SECONDS))) {
      throw new Error(`Minion ${id} did not start:\n${this.stage.cluster.log(id)}`)
    }
  }

  /** Run a program on the master and return its output. */
  async run(line: string): Promise<string> {
    const { status, stdout, stderr } = await this.stage.cluster.run(line)
    if (status !== 0) throw new Error(`${line}: exit ${status}\n${stdout}${stderr}`)
    return stdout
  }

  /** Keys by their state, as `salt-key` lists them. */
  async keys(): Promise<Record<string, string[]>> {
    return JSON.parse(await this.run('salt-key -L --out=json')) as Record<string, string[]>
  }

  async keyIs(id: string, state: string): Promise<void> {
    await until(`the key of ${id} among ${state}`, async () => (await this.keys())[state]?.includes(id) ?? false)
  }

  close(): Promise<void> {
    return this.stage.close()
  }
}
