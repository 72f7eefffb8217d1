{{- define "loadgen-operator.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 53 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 53 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "loadgen-operator.selectorLabels" -}}
app.kubernetes.io/name: loadgen-operator
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "loadgen-operator.podLabels" -}}
{{ include "loadgen-operator.selectorLabels" . }}
app.kubernetes.io/part-of: loadgen-operator
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- with merge dict .Values.podLabels .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "loadgen-operator.labels" -}}
{{ include "loadgen-operator.selectorLabels" . }}
app.kubernetes.io/part-of: loadgen-operator
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "loadgen-operator.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "loadgen-operator.fullname" .) -}}
{{- else -}}
{{- required "serviceAccount.create: false needs serviceAccount.name, the account that exists already" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- /* An image's name. Argument: a list of the image's values and the root. */ -}}
{{- define "loadgen-operator.image" -}}
{{- $image := index . 0 -}}
{{- $root := index . 1 -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $image.repository $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $image.repository ($image.tag | default $root.Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{- /* Who the roles are for. */ -}}
{{- define "loadgen-operator.subjects" -}}
- kind: ServiceAccount
  name: {{ include "loadgen-operator.serviceAccountName" . }}
  namespace: {{ .Release.Namespace }}
{{- end -}}

{{- /* Combinations that the schema cannot refuse with a cure. */ -}}
{{- define "loadgen-operator.check" -}}
{{- if and .Values.watch.ownNamespace .Values.watch.namespaces -}}
{{- fail "watch: ownNamespace and namespaces exclude each other; add the release's namespace to namespaces and remove ownNamespace" -}}
{{- end -}}
{{- $own := list "app.kubernetes.io/name" "app.kubernetes.io/instance" "app.kubernetes.io/part-of" "app.kubernetes.io/version" "app.kubernetes.io/managed-by" "helm.sh/chart" -}}
{{- range $value, $labels := dict "commonLabels" .Values.commonLabels "podLabels" .Values.podLabels -}}
{{- range $label, $text := $labels -}}
{{- if has $label $own -}}
{{- fail (printf "%s: %s is a label of the chart; use another" $value $label) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $values := dict
    "LOADGEN_RUNNER_IMAGE" "runnerImage"
    "LOADGEN_NAMESPACES" "watch.namespaces"
    "LOADGEN_IMAGE_GRACE" "settings.imageGrace"
    "LOADGEN_RUNNER_START_TIMEOUT" "settings.runnerStartTimeout"
    "LOADGEN_KEEP_JOBS" "settings.keepJobs"
    "LOADGEN_EXTERNAL_HOSTS" "settings.externalHosts"
    "LOADGEN_POD_TEMPLATES" "settings.podTemplates"
    "NODE_ADDRESS" "no value, but from the node"
    "LOADGEN_HEALTH_PORT" "healthPort"
    "LOADGEN_LEADER_ELECTION" "replicas"
    "POD_NAMESPACE" "replicas" -}}
{{- range .Values.extraEnv -}}
{{- if hasKey $values .name -}}
{{- fail (printf "extraEnv: %s comes from the value %s; remove it and set that" .name (get $values .name)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
