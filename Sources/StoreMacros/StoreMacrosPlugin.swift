import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct StoreMacrosPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        RecordMacro.self, EmbeddedMacro.self, FieldMarkerMacro.self, IndexMarkerMacro.self,
        ComponentMacro.self, PublishedMacro.self,
    ]
}
