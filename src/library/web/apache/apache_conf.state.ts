// Snippets of configuration of Debian's Apache.
import { switchStates } from './apache/switch.ts'

export default switchStates({ word: 'conf', title: 'conf' })
