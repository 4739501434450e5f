import { Empty, View } from '../ui/basic.tsx'

export default function Runs() {
  return (
    <View title="Orchestrations">
      <Empty title="Orchestrations" />
    </View>
  )
}
