// `cmd_yaml`: the YAML that a command prints.
import { loadYaml } from '../../../sdk/mod.ts'
import { commandPillar } from './command-output.ts'

export default commandPillar({ name: 'cmd_yaml', form: 'YAML', shell: true, read: loadYaml })
