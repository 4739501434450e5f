import { Empty, View } from '../ui/basic.tsx'

export default function Settings() {
  return (
    <View title="Settings">
      <Empty title="Settings" />
    </View>
  )
}
