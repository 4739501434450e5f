import { Empty, View } from '../ui/basic.tsx'

export default function Minions() {
  return (
    <View title="Minions">
      <Empty title="Minions" />
    </View>
  )
}
