// Every program of Salt that has a command line, by name.
import type { Program } from './optparse/option.ts'
import { SALT } from './programs/salt.ts'
import { SALT_API } from './programs/salt-api.ts'
import { SALT_CALL } from './programs/salt-call.ts'
import { SALT_CLOUD } from './programs/salt-cloud.ts'
import { SALT_CP } from './programs/salt-cp.ts'
import { SALT_KEY } from './programs/salt-key.ts'
import { SALT_MASTER } from './programs/salt-master.ts'
import { SALT_MINION } from './programs/salt-minion.ts'
import { SALT_PROXY } from './programs/salt-proxy.ts'
import { SALT_RUN } from './programs/salt-run.ts'
import { SALT_SSH } from './programs/salt-ssh.ts'
import { SALT_SYNDIC } from './programs/salt-syndic.ts'
import { SPM } from './programs/spm.ts'

export const PROGRAMS: ReadonlyMap<string, Program> = new Map(
  [
    SALT,
    SALT_API,
    SALT_CALL,
    SALT_CLOUD,
    SALT_CP,
    SALT_KEY,
    SALT_MASTER,
    SALT_MINION,
    SALT_PROXY,
    SALT_RUN,
    SALT_SSH,
    SALT_SYNDIC,
    SPM,
  ].map((program) => [program.name, program]),
)
